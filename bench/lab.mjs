// How long the policy lab takes for a log in a real browser, and whether it agrees with `weir replay` to the request.
//   node bench/lab.mjs            1,000,000 lines
//   node bench/lab.mjs 200000     as many as you say
// The lab is the one-file page, opened from disk; the log is made up, the same every time. On a machine that does other
// things too, the processor's time says more than the clock's.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { HOW_TO_GET_ONE, chromium as installed } from '../scripts/lib/chromium.mjs';
import { buildLab } from '../scripts/lib/lab.mjs';
import { ROOT } from '../scripts/lib/paths.mjs';
import { Stop, main, say } from '../scripts/lib/say.mjs';
import { EXAMPLE } from '../www/lab/example.js';

const AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  'curl/8.5.0',
];
const CALLERS = 50_000;

/** Numbers below `bound`, the same every time (mulberry32). */
function dice(seed) {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  };
}

/** Combined log format, 100 lines a second: six in ten are name checks, and fifty callers make a third of all. */
async function writeLog(file, lines) {
  const below = dice(7);
  const callers = Array.from({ length: CALLERS }, () => [1 + below(223), below(256), below(256), 1 + below(254)].join('.'));
  const out = createWriteStream(file);
  let text = '';
  for (let i = 0; i < lines; i += 1) {
    const time = new Date(1_767_614_400_000 + Math.floor(i / 100) * 1_000).toISOString();
    const ip = callers[below(below(10) < 3 ? 50 : CALLERS)];
    const kind = below(20);
    const request = kind < 12 ? `GET /api/usernames/available?u=user${below(100_000)}` : kind < 15 ? 'POST /login' : `GET /assets/${below(1_000)}.js`;
    const status = kind >= 12 && kind < 15 && below(10) < 3 ? 401 : 200;
    text += `${ip} - - [${time.slice(8, 10)}/Jan/2026:${time.slice(11, 19)} +0000] "${request} HTTP/1.1" ${status} ${100 + below(9_900)} "https://shop.example/" "${AGENTS[below(3)]}"\n`;
    if (text.length > 1 << 20 || i === lines - 1) {
      if (!out.write(text)) await once(out, 'drain');
      text = '';
    }
  }
  out.end();
  await once(out, 'close');
}

async function onCommandLine(policy, log) {
  const child = spawn('cargo', ['run', '--quiet', '--profile', 'lab', '--bin', 'weir', '--', 'replay', policy, log, '--json'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const piece of child.stdout.setEncoding('utf8')) text += piece;
  return JSON.parse(text);
}

async function inBrowser(log) {
  const executablePath = installed();
  if (executablePath === null) throw new Stop(HOW_TO_GET_ONE);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const session = await browser.newBrowserCDPSession();
    /** Seconds of the processor that pages and their workers have had so far. */
    const used = async () => {
      const { processInfo } = await session.send('SystemInfo.getProcessInfo');
      return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    };
    const page = await browser.newPage();
    page.setDefaultTimeout(600_000);
    await page.goto(pathToFileURL(join(ROOT, 'www', 'lab', 'pkg', 'weir-lab.html')).href);
    const status = page.getByRole('status');
    const timed = async (act) => {
      const before = await used();
      await status.evaluate((element) => (element.textContent = ''));
      await act();
      await status.getByText(/^Replayed/).waitFor();
      const seconds = / in ([\d.]+) s/.exec(await status.textContent())[1];
      return `${seconds} s (${((await used()) - before).toFixed(1)} s of a processor)`;
    };
    await status.getByText(/^Replayed/).waitFor();
    await page.getByLabel('From', { exact: true }).selectOption('files');
    const first = await timed(() => page.getByLabel(/^Log files/).setInputFiles(log));
    const figures = await page.locator('#figures dd').evaluateAll((all) => all.map((dd) => Number(dd.firstChild.data.replaceAll(/\D/g, ''))));
    const quota = page.getByRole('group', { name: 'availability.session' }).getByLabel('quota');
    const again = await timed(() => quota.fill('31'));
    return { first, again, figures: figures.slice(0, 3) };
  } finally {
    await browser.close();
  }
}

main(async ([lines = '1000000']) => {
  await buildLab();
  const dir = await mkdtemp(join(tmpdir(), 'weir-bench-lab-'));
  try {
    const [policy, log] = [join(dir, 'policy.toml'), join(dir, 'access.log')];
    say(`writing a log of ${lines} lines`);
    await Promise.all([writeFile(policy, EXAMPLE), writeLog(log, Number(lines))]);
    say('replaying it on the command line');
    const expected = await onCommandLine(policy, log);
    say('replaying it in the browser');
    const found = await inBrowser(log);
    assert.deepEqual(found.figures, [expected.requests, expected.passed, expected.refused]);
    const load = loadavg()[0].toFixed(1);
    say(`${lines} lines in ${found.first}, and in ${found.again} with another quota; ${expected.refused} refused by both; load of this machine ${load}`);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
