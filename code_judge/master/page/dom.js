// Makes elements. Text goes in as text and nothing else: what programs and nodes say is never read as HTML.

/** An element with these attributes and children; children are elements or text, and null leaves one out. */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for a part of a picture. */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** The element of this id, which index.html has. */
export function byId(id) {
  return document.getElementById(id);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}
