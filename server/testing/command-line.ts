import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runStep } from '../../cli/run-step.mjs'

const root = join(import.meta.dirname, '../..')

export type Ended = { code: number | null; out: string; error: string }
type Environment = Record<string, string>

/** The real program, bundled from this tree, with a folder of its own for its profiles. */
export type CommandLine = {
  file: string
  folder: string
  /** Starts it without a terminal. The environment contains nothing of this process but PATH. */
  start(args: readonly string[], environment?: Environment): ChildProcess
  run(args: readonly string[], environment?: Environment, input?: string): Promise<Ended>
  /** Runs it on a pseudo-terminal, whose output has both streams. */
  onTerminal(args: readonly string[], environment?: Environment): Promise<Ended>
  /** Runs it by `npx .` in this tree, as in a clone. */
  fromClone(args: readonly string[], environment?: Environment): Promise<Ended>
  close(): Promise<void>
}

export async function commandLine(): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-cli-'))
  const file = join(folder, 'countersign.mjs')
  const { ok, output } = await runStep([join(root, 'cli/bundle-command-line.mjs'), root, file], {
    capture: true,
    cwd: root,
  })
  if (!ok) throw new Error(output)
  const started = (program: string, args: readonly string[], environment: Environment, cwd = folder) =>
    spawn(program, args, {
      cwd,
      env: {
        NODE_ENV: 'test',
        PATH: process.env.PATH ?? '',
        COUNTERSIGN_CONFIG_DIR: join(folder, 'config'),
        ...environment,
      },
    })
  const start = (args: readonly string[], environment: Environment = {}) =>
    started(process.execPath, [file, ...args], environment)
  const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`
  return {
    file,
    folder,
    start,
    run: (args, environment, input) => ended(start(args, environment), input),
    onTerminal: (args, environment = {}) => {
      const line = [process.execPath, file, ...args].map(quoted).join(' ')
      return ended(started('script', ['--quiet', '--return', '--command', line, '/dev/null'], environment))
    },
    // npm keeps its cache in the home folder.
    fromClone: (args, environment = {}) =>
      ended(started('npx', ['--offline', '.', ...args], { HOME: process.env.HOME ?? folder, ...environment }, root)),
    close: () => rm(folder, { recursive: true }),
  }
}

async function ended(child: ChildProcess, input = ''): Promise<Ended> {
  const texts = { out: '', error: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    texts.out += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    texts.error += text
  })
  child.stdin?.end(input)
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  return { code, ...texts }
}
