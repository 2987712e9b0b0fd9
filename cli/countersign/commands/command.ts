import type { Options } from '../flags.ts'
import type { Output } from '../output.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What a command gets: the words after its name, and the process around it. */
export type Context = { args: readonly string[]; environment: Environment; output: Output }

export type Command = {
  /** As typed: `evidence create`. */
  name: string
  summary: string
  /** Lines of `--help` after the summary. */
  usage: string
  /** Its flags in addition to those of every command. */
  flags?: Options
  /** The operation whose fields are flags as well. */
  operation?: string
  /** What may follow its name, for completion. */
  words?(): readonly string[]
  /** The values of its own flags, as far as they are few. */
  choices?: Readonly<Record<string, readonly string[]>>
  /** Returns the exit code; undefined is 0. Throws Failed. */
  run(context: Context): Promise<number | undefined>
}

/** The program's own flags, for every `--help`. */
export const commonUsage = `
  --url <address>        the server (COUNTERSIGN_URL)
  --tenant <short name>  the organisation of a service account, or to sign in to (COUNTERSIGN_TENANT)
  --profile <name>       a sign-in of countersign login (COUNTERSIGN_PROFILE)
  --output <format>      table, json or ndjson; a table on a terminal, else json
`
