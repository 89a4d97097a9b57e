import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { failure } from '@plimsoll/core/internal/errors';

const run = promisify(execFile);

/** One commit of the range. */
export interface Commit {
  readonly sha: string;
  readonly subject: string;
  readonly author: string;
  readonly date: string;
}

interface WorktreeOptions {
  /** Folder inside the repository where the command is run. */
  readonly cwd: string;
  /** Folder of the worktrees. Git does not list it as changed. */
  readonly dir: string;
  /** Shell command that runs once in each worktree before it is measured. */
  readonly build: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Checkouts of commits in separate folders, so that the user's working tree is not touched. A built worktree is kept and used again. */
export class Worktrees {
  readonly #options: WorktreeOptions;
  readonly #root: string;

  private constructor(options: WorktreeOptions, root: string) {
    this.#options = options;
    this.#root = root;
  }

  static async open(options: WorktreeOptions): Promise<Worktrees> {
    try {
      const { stdout } = await run('git', ['rev-parse', '--show-toplevel'], { cwd: options.cwd });
      return new Worktrees(options, stdout.trim());
    } catch (error) {
      throw failure('PLM_BISECT_GIT', { cwd: options.cwd, reason: saying(error) }, { cause: error });
    }
  }

  /** The commits after `good` up to `bad`, oldest first, along the first parents. */
  async between(
    good: string,
    bad: string,
  ): Promise<{ readonly good: Commit; readonly after: readonly Commit[] }> {
    const format = '--format=%H%x1f%s%x1f%an%x1f%aI';
    const log = async (...args: readonly string[]): Promise<readonly Commit[]> => {
      const text = await this.#git('log', format, ...args);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const [sha = '', subject = '', author = '', date = ''] = line.split('\u001f');
          return { sha, subject, author, date };
        });
    };
    const [first] = await log('-1', '--end-of-options', good);
    const after = await log('--first-parent', '--reverse', '--end-of-options', `${good}..${bad}`);
    if (first === undefined || after.length === 0)
      throw failure('PLM_BISECT_GIT', {
        cwd: this.#root,
        reason: `there is no commit between ${good} and ${bad}`,
      });
    return { good: first, after };
  }

  /** The folder of a commit's checkout, built, in which the command is run. */
  async at({ sha }: Commit): Promise<string> {
    const folder = join(this.#options.dir, sha.slice(0, 12));
    const mark = join(folder, '.plimsoll-built');
    if (!existsSync(mark)) {
      mkdirSync(this.#options.dir, { recursive: true });
      if (!existsSync(folder)) await this.#git('worktree', 'add', '--detach', '--force', folder, sha);
      await this.#build(folder);
      writeFileSync(mark, `${sha}\n`);
    }
    return join(folder, relative(this.#root, this.#options.cwd));
  }

  async removeAll(): Promise<void> {
    const text = await this.#git('worktree', 'list', '--porcelain');
    for (const [, folder = ''] of text.matchAll(/^worktree (.+)$/gm))
      if (folder.startsWith(`${this.#options.dir}/`))
        await this.#git('worktree', 'remove', '--force', folder);
    rmSync(this.#options.dir, { recursive: true, force: true });
  }

  async #build(folder: string): Promise<void> {
    const { build, env } = this.#options;
    if (build === null) return;
    const cwd = join(folder, relative(this.#root, this.#options.cwd));
    try {
      await run('/bin/sh', ['-c', build], { cwd, env: env as NodeJS.ProcessEnv, maxBuffer: 64 * 1024 ** 2 });
    } catch (error) {
      throw failure('PLM_BISECT_BUILD', { folder, build, reason: saying(error) }, { cause: error });
    }
  }

  async #git(...args: readonly string[]): Promise<string> {
    try {
      const { stdout } = await run('git', [...args], { cwd: this.#root, maxBuffer: 64 * 1024 ** 2 });
      return stdout;
    } catch (error) {
      throw failure('PLM_BISECT_GIT', { cwd: this.#root, reason: saying(error) }, { cause: error });
    }
  }
}

/** The last line of a command's output. */
function saying(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  const lines = (stderr ?? '').trim().split('\n');
  return lines.at(-1) === '' || lines.length === 0 ? message : (lines.at(-1) as string);
}
