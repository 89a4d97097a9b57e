import { mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import chromiumFiles from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';

const lock = join(tmpdir(), 'plimsoll-chromium.lock');
const staleMs = 60_000;

/** Unpacks the browser from its package, for one test file at a time. A second one could start a half-written program. */
async function program(): Promise<string> {
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      if (isStale()) rmSync(lock, { recursive: true, force: true });
      else await pause(100);
    }
  }
  try {
    return await chromiumFiles.executablePath();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isStale(): boolean {
  try {
    return Date.now() - statSync(lock).mtimeMs > staleMs;
  } catch {
    return false;
  }
}

/** Arguments of the package that would run it as one process, or draw by a GPU that is computed. */
const unwanted = /single-process|no-zygote|^--use-|swiftshader|in-process-gpu|ignore-gpu/;

/** A real Chromium without a system install. What is drawn by the CPU costs half without the detour over WebGL. */
export async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: await program(),
    args: [...chromiumFiles.args.filter((each) => !unwanted.test(each)), '--disable-gpu'],
    headless: true,
    timeout: 60_000,
  });
}
