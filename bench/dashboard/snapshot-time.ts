import { spawnSync } from 'node:child_process';
import { FixtureServer } from '../../test/browser/fixture-server.ts';
import { launch } from '../../test/browser/launch.ts';
import { busyStage } from '../../test/browser/story.ts';
import { visit } from '../../test/browser/visit.ts';
import { snapshotFile } from '../heap/snapshot-file.ts';
import { installedCommand } from '../installed.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

/** How long a file of 300 MB takes from being chosen in the page to its first suspect, beside the whole command. */
export async function snapshotTime({ quick, log }: BenchOptions): Promise<Row[]> {
  const file = snapshotFile('medium', log);
  const command = installedCommand(log);
  const browser = await launch();
  const server = new FixtureServer(busyStage());
  await server.start();
  const page: number[] = [];
  const whole: number[] = [];
  try {
    for (let i = 0; i < (quick ? 1 : 5); i++) {
      log(`dashboard: snapshot ${i + 1}`);
      const began = performance.now();
      const run = spawnSync(process.execPath, [command, 'analyze', file, '--json'], { maxBuffer: 64 << 20 });
      if (run.status !== 0) throw new Error(String(run.stderr));
      whole.push(performance.now() - began);
      await using tab = await visit(browser, `${server.address}#/snapshot`);
      const chosen = performance.now();
      await tab.page.locator('input[type=file]').setInputFiles(file);
      await tab.page.getByText('Suspect: ').first().waitFor({ timeout: 120_000 });
      page.push(performance.now() - chosen);
    }
  } finally {
    await server.stop();
    await browser.close();
  }
  return [
    row({
      metric: 'first suspect of a snapshot of 300 MB in the page',
      unit: 'ms',
      samples: page,
      peer: { name: 'plimsoll analyze', samples: whole, isPaired: true },
      goal: { atMost: 2 },
    }),
  ];
}
