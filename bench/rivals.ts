import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { missingProgram } from '../cli/proof/missing-program.mjs'
import { runStep } from '../cli/run-step.mjs'
import { type Figure, figure } from './report.ts'

// Rivals are installed when they are first measured, and not by `npm ci`: outside of git, with exact versions, and once for each content of the
// files that name the versions.

const peers = join(import.meta.dirname, 'peers')
const cache = join(import.meta.dirname, '../node_modules/.cache/countersign-rivals')

/** The figures of `measure`, or a line that names the program that this machine lacks. */
export async function unlessMissing(
  programs: readonly string[],
  fields: Pick<Figure, 'case' | 'job'>,
  measure: () => Promise<Figure[]>,
): Promise<Figure[]> {
  const lacking = missingProgram(...programs)
  return lacking === undefined ? await measure() : [figure({ ...fields, rival: true, ours: `SKIP(no ${lacking})` })]
}

/** Installs the packages of a lockfile in bench/peers, without their scripts, and returns the folder. */
export const installedPackages = (name: string): Promise<string> =>
  madeOnce(name, ['package.json', 'package-lock.json', '.npmrc'], (folder) =>
    step('npm', ['ci', '--ignore-scripts'], folder),
  )

/** Compiles a Go module in bench/peers and returns the program. Compiling takes minutes. */
export async function builtProgram(name: string): Promise<string> {
  const folder = await madeOnce(name, ['go.mod', 'go.sum', 'main.go'], (folder) =>
    step('go', ['build', '-buildvcs=false', '-o', name, '.'], folder),
  )
  return join(folder, name)
}

async function madeOnce(
  name: string,
  sources: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const files = sources.map((source) => join(peers, name, source))
  const digest = createHash('sha256')
  for (const file of files) digest.update(readFileSync(file)).update('\0')
  const folder = join(cache, `${name}-${digest.digest('hex').slice(0, 16)}`)
  if (existsSync(folder)) return folder
  // Renamed into place, so that an interrupted installation is not taken for a complete one.
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  for (const [index, source] of sources.entries()) await cp(files[index] ?? '', join(unfinished, source))
  await make(unfinished)
  await rename(unfinished, folder)
  return folder
}

async function step(command: string, args: string[], cwd: string): Promise<void> {
  const { ok, output } = await runStep(args, { command, cwd, capture: true })
  if (!ok) throw new Error(`${command} ${args.join(' ')} failed. ${output.slice(-2000)}`)
}
