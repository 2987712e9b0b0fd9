import { join } from 'node:path'
import { readModules } from './join-modules.ts'

// The bundler calls `scripts` and puts its result into the bundle: Node's compiler of types costs more processor time than a
// small archive.

const library = join(import.meta.dirname, '../../../lib/verify')
const page = readModules(join(library, 'programs/page.ts'))
const command = readModules(join(library, 'programs/command.ts'))

/** The verifier's modules, joined: for verify.html, and for verify.mjs. */
export const scripts = (): { page: string; command: string } => ({ page: page.join(), command: command.join() })

/** The paths of the files that `scripts` depends on. */
export const sources = (): string[] => [...page.paths, ...command.paths]
