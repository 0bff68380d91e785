// A line plot of the last five minutes. Pointing at it reads off the moment under the pointer.

import { draw, make } from "./dom.js";
import { ago } from "./words.js";

const WIDTH = 320;
const HEIGHT = 96;
const TOP = 6; // room for a line's thickness

/** One plot. `series` are its lines: {name, className}; `show` turns a value into words. */
export class Plot {
  constructor(title, series, show, spanS) {
    this.series = series;
    this.show = show;
    this.spanS = spanS;
    this.points = []; // {at, values}, oldest first; a value may be null
    this.build(title);
  }

  build(title) {
    this.readings = this.series.map(() => make("strong"));
    const legend = this.series.map(({ name, className }, index) =>
      make("span", { class: `reading ${className}` }, this.readings[index], make("small", {}, name)));
    this.moment = make("small", { class: "moment" });
    this.area = draw("path", { class: `area ${this.series[0].className}` });
    this.lines = this.series.map(({ className }) => draw("path", { class: `line ${className}` }));
    this.cross = draw("line", { class: "cross", y1: 0, y2: HEIGHT, visibility: "hidden" });
    this.picture = draw("svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" },
      draw("line", { class: "grid", x1: 0, x2: WIDTH, y1: TOP, y2: TOP }),
      draw("line", { class: "grid", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      draw("line", { class: "ground", x1: 0, x2: WIDTH, y1: HEIGHT - 0.5, y2: HEIGHT - 0.5 }),
      this.area, ...this.lines, this.cross);
    this.top = make("small", { class: "scale" });
    this.element = make("figure", { class: "card plot" },
      make("figcaption", {}, title, this.moment),
      make("div", { class: "readings" }, ...legend),
      make("div", { class: "canvas" }, this.top, this.picture),
      make("div", { class: "axis" }, make("small", {}, `${ago(this.spanS)} ago`), make("small", {}, "now")));
    this.title = title;
    this.picture.addEventListener("pointermove", (event) => this.point(event));
    this.picture.addEventListener("pointerleave", () => this.read(null));
  }

  /** Add the newest values and draw. */
  add(at, values) {
    this.points.push({ at, values });
    this.points = this.points.filter((point) => point.at >= at - this.spanS);
    this.highest = niceAbove(Math.max(0, ...this.points.flatMap((point) => point.values.map(Number))));
    this.lines.forEach((line, index) => line.setAttribute("d", this.path(index, false)));
    this.area.setAttribute("d", this.path(0, true));
    this.top.textContent = this.show(this.highest);
    this.read(null);
  }

  x(at) {
    return WIDTH * (1 - (this.points.at(-1).at - at) / this.spanS);
  }

  y(value) {
    return HEIGHT - 1 - (HEIGHT - 1 - TOP) * (value / this.highest);
  }

  /** One line; where there is no value it breaks off. */
  path(index, closed) {
    const parts = [];
    let part = [];
    for (const { at, values } of [...this.points, { at: 0, values: [] }]) {
      if (typeof values[index] === "number") {
        part.push(`${this.x(at).toFixed(1)} ${this.y(values[index]).toFixed(1)}`);
      } else if (part.length) {
        parts.push(part);
        part = [];
      }
    }
    const edge = (point) => `${point.split(" ")[0]} ${HEIGHT}`;
    return parts.map((points) => closed
      ? `M${edge(points[0])} L${points.join(" L")} L${edge(points.at(-1))}Z`
      : `M${points.join(" L")}${points.length === 1 ? ` l0.1 0` : ""}`).join("");
  }

  point(event) {
    const box = this.picture.getBoundingClientRect();
    const at = this.points.at(-1).at - this.spanS * (1 - (event.clientX - box.left) / box.width);
    const distance = (point) => Math.abs(point.at - at);
    this.read(this.points.reduce((best, point) => (distance(point) < distance(best) ? point : best)));
  }

  /** Show the values of this point, or the newest for null. */
  read(chosen) {
    const newest = this.points.at(-1);
    const point = chosen ?? newest;
    point.values.forEach((value, index) => { this.readings[index].textContent = this.show(value); });
    this.moment.textContent = chosen ? `${ago(newest.at - chosen.at)} ago` : "";
    this.cross.setAttribute("visibility", chosen ? "visible" : "hidden");
    for (const name of ["x1", "x2"]) this.cross.setAttribute(name, this.x(point.at));
    const told = this.series.map(({ name }, index) => `${name} ${this.show(newest.values[index])}`);
    this.picture.setAttribute("aria-label", `${this.title}: ${told.join(", ")}`);
  }
}

/** A round number at or above this one, for the top of a scale. */
function niceAbove(value) {
  if (!(value > 0)) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((step) => step * magnitude >= value) * magnitude;
}
