// Figures as people read them.

/** A count with its thing: "1 node", "2 nodes". */
export function count(number, thing, things = `${thing}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? thing : things}`;
}

/** Seconds, as short as they can be told. */
export function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0 s";
  if (value < 0.9995) return `${digits(value * 1000)} ms`;
  return value < 120 ? `${digits(value)} s` : ago(value);
}

/** A span of time in its largest unit. */
export function ago(value) {
  for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "min"]]) {
    if (value >= size) return `${Math.floor(value / size)} ${unit}`;
  }
  return `${Math.max(0, Math.floor(value))} s`;
}

/** A number with two or three digits. */
export function digits(value) {
  if (value === null || value === undefined) return "–";
  const places = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en", { maximumFractionDigits: places });
}
