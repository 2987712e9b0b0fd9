import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The first of these programs that this machine does not have, or undefined.
 * @param {...string} programs
 * @returns {string | undefined}
 */
export function missingProgram(...programs) {
  const folders = (process.env.PATH ?? '').split(':')
  return programs.find((program) => !folders.some((folder) => existsSync(join(folder, program))))
}
