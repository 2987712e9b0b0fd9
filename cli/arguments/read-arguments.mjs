// Must parse on Node 20: start.mjs imports it before the pinned Node runs.
import { parseArgs } from 'node:util'
import { argumentError } from '../../lib/text/argument-error.mjs'

/**
 * The options and up to `most` words after a command of package.json. For `--help` this prints the usage and ends the process, for
 * other arguments with exit code 2: call it before anything is read or changed.
 * @template {NonNullable<import('node:util').ParseArgsConfig['options']>} T
 * @param {string} usage
 * @param {{ options?: T, most?: number }} [accepted]
 * @returns {{ values: ReturnType<typeof parseArgs<{ options: T }>>['values'], positionals: string[] }}
 */
export function readArguments(usage, { options, most = 0 } = {}) {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const unexpected = positionals[most]
    if (unexpected === undefined) return { values, positionals }
    return refuse(`Unexpected argument ${JSON.stringify(unexpected)}.`, usage)
  } catch (error) {
    return refuse(argumentError(error) ?? error.stack, usage)
  }
}

/** @returns {never} */
function refuse(message, usage) {
  process.stderr.write(`${message}\n${usage}\n`)
  process.exit(2)
}
