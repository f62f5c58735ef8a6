// Create elements. Strings become text nodes, never HTML, because they come from the graph and from models.

const SVG = "http://www.w3.org/2000/svg";

/** Return an HTML element; attributes that are functions become listeners, and null attributes are left out. */
export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Return an SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Return a section with a heading, or null without content. */
export function section(title, ...children) {
  const content = children.filter(Boolean);
  return content.length ? html("section", {}, html("h2", {}, title), ...content) : null;
}

/** Return a part that opens on demand. */
export function details(title, ...children) {
  return html("details", {}, html("summary", {}, title), ...children);
}

/** Cut a text to a number of characters. */
export function shortened(text, length) {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join("")}…` : text;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
