// Passed and refused over time: two stacked areas, and a line for what shadow rules would refuse.
import { element, rate } from './dom.js';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 720;
const HEIGHT = 192;

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** `given` are [passed, refused, shadow, failed] of `step_s` seconds each, oldest first. */
export function draw(target, given, step_s) {
  const steps = given.length > 1 ? given : [[0, 0, 0, 0], [0, 0, 0, 0]];
  // the last step is not over yet: a fall in it would look as if everything had stopped
  const [before, last] = steps.slice(-2).map(([passed, refused]) => passed + refused);
  const whole = last > before ? steps : steps.slice(0, -1);
  const highest = Math.max(1, ...whole.map(([passed, refused, shadow]) => Math.max(passed + refused, shadow)));
  const x = (i) => ((i / Math.max(1, whole.length - 1)) * WIDTH).toFixed(1);
  const y = (count) => (HEIGHT - (count / highest) * (HEIGHT - 4)).toFixed(1);
  const line = (count) => whole.map((step, i) => `${x(i)},${y(count(step))}`);
  const area = (top, bottom) => [...line(top), ...line(bottom).reverse()].join(' ');
  const sum = (column) => steps.reduce((all, step) => all + step[column], 0);
  const [passed, refused, shadow] = [0, 1, 2].map(sum);
  const minutes = Math.round((steps.length * step_s) / 60);
  const span = minutes >= 120 ? `${Math.round(minutes / 60)} hours` : `${minutes} minutes`;
  const words = `In the last ${span}: ${passed} passed, ${refused} refused, ${shadow} would be refused by rules in shadow.`;
  const svg = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': words });
  svg.append(
    shape('polygon', { class: 'passed', points: area(([p]) => p, () => 0) }),
    shape('polygon', { class: 'refused', points: area(([p, r]) => p + r, ([p]) => p) }),
    shape('polyline', { class: 'shadow', points: shadow > 0 ? line(([, , s]) => s).join(' ') : '' }),
    shape('line', { class: 'axis', x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }),
  );
  const axis = element('p', { 'aria-hidden': 'true' }, element('span', {}, `${span} ago`), element('span', {}, `peak ${rate(highest, step_s)} a second`), element('span', {}, 'now'));
  target.replaceChildren(svg, axis, element('p', {}, words));
}
