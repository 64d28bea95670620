// What a page tells whoever does not see it, or has no mouse.

const CONTROLS = new Set(['button', 'checkbox', 'combobox', 'link', 'progressbar', 'spinbutton', 'textbox']);

/** What a screen reader is told of the page's controls, each "role: name". */
export async function controls(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  const told = nodes.filter(({ ignored, role }) => !ignored && CONTROLS.has(role?.value));
  return told.map(({ role, name }) => `${role.value}: ${name?.value ?? ''}`);
}

/** Goes through the page by Tab until `last` has the focus; what had it on the way without showing it. */
export async function unseenFocus(page, last) {
  const unseen = [];
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press('Tab');
    const { name, seen } = await page.evaluate(() => {
      const element = document.activeElement;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      const seen = (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || boxShadow !== 'none';
      return { name: element.id || element.closest('label')?.textContent || element.tagName, seen };
    });
    if (!seen) unseen.push(name);
    if (name === last) return unseen;
  }
  throw new Error(`Tab never reaches ${last}`);
}
