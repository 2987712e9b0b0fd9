import { parseArgs } from 'node:util'

/** The command line is invalid. The message states the problem and the command's usage. */
export class UsageError extends Error {}

/** A command that can't be carried out; the message is for the operator. */
export class CommandError extends Error {}

// Owned by this module: set once, before the command is loaded.
let launcher: string | undefined

/** Names commands after the launcher of a release archive, where npm is missing. */
export function launchedBy(name: string): void {
  launcher = name
}

/** What the operator writes to run a command without arguments. */
export const nameOf = (command: string): string => `${launcher ?? 'npm run'} ${command}`

/** What the operator writes before the command's arguments. */
export const programOf = (command: string): string => `${nameOf(command)}${launcher === undefined ? ' --' : ''}`

export type Say = (line: string) => void
export type Act = (say: Say) => Promise<void>

/** Names of words or options, with the placeholders that the usage text shows for their values. */
type Values<Name extends string> = Readonly<Record<Name, string>>

export type Command = {
  name: string
  words: Values<string>
  required: Values<string>
  optional: Values<string>
  plan(given: Readonly<Record<string, string | undefined>>): Act
}

/**
 * One subcommand: its words in order, its options, which all have a value, and its action. `plan` checks the values,
 * and throws UsageError, before the action opens anything.
 */
export const command = <W extends string = never, R extends string = never, O extends string = never>({
  name,
  words,
  required,
  optional,
  plan,
}: {
  name: string
  words?: Values<W>
  required?: Values<R>
  optional?: Values<O>
  plan(given: Record<W | R, string> & Partial<Record<O, string>>): Act
}): Command => ({
  name,
  words: words ?? {},
  required: required ?? {},
  optional: optional ?? {},
  // `read` returns every word and every required option.
  plan: (given) => plan(given as Parameters<typeof plan>[0]),
})

/** The usage of the commands, one per line. */
export const usageOf = (program: string, commands: readonly Command[]): string =>
  commands
    .map(({ name, words, required, optional }) =>
      [
        `${program} ${name}`,
        ...Object.values(words).map((shown) => `<${shown}>`),
        ...Object.entries(required).map(([option, shown]) => `--${option} <${shown}>`),
        ...Object.entries(optional).map(([option, shown]) => `[--${option} <${shown}>]`),
      ].join(' '),
    )
    .join('\n')

/** The command that `args` select, with its values bound. Throws UsageError. */
export function readCommand(program: string, commands: readonly Command[], [name, ...args]: readonly string[]): Act {
  const found = commands.find((one) => one.name === name)
  if (found === undefined) {
    const wrong = name === undefined ? 'A command is missing.' : `Unknown command ${JSON.stringify(name)}.`
    throw new UsageError(`${wrong} Use one of:\n${usageOf(program, commands)}`)
  }
  try {
    return found.plan(read(found, args))
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${error.message}\nUsage: ${usageOf(program, [found])}`)
    throw error
  }
}

/**
 * The values by name. Does not use parseArgs' strict mode, whose messages are for programmers and which accepts
 * repeated options.
 */
function read({ name, words, required, optional }: Command, args: readonly string[]): Record<string, string> {
  const options = new Map(Object.entries({ ...required, ...optional }))
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries([...options.keys()].map((option) => [option, { type: 'string' }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const given = new Map<string, string>()
  const missing = new Map(Object.entries(words))
  for (const token of tokens) {
    if (token.kind === 'positional') {
      const [word] = missing
      if (word === undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(token.value)} after ${name}.`)
      missing.delete(word[0])
      given.set(word[0], requireText(`<${word[1]}>`, token.value))
    } else if (token.kind === 'option') {
      const shown = options.get(token.name)
      if (shown === undefined) throw new UsageError(`Unknown option ${token.rawName} for ${name}.`)
      if (given.has(token.name)) throw new UsageError(`${token.rawName} is given more than once.`)
      given.set(token.name, optionValue(token, shown))
    }
  }
  for (const shown of missing.values()) throw new UsageError(`${name} needs <${shown}>.`)
  for (const [option, shown] of Object.entries(required))
    if (!given.has(option)) throw new UsageError(`${name} needs --${option} <${shown}>.`)
  return Object.fromEntries(given)
}

type Option = { rawName: string; value?: string | undefined; inlineValue?: boolean | undefined }

/** A following option is not the value; a value that starts with a hyphen is written --option=-value. */
function optionValue({ rawName, value, inlineValue }: Option, shown: string): string {
  if (value === undefined || (inlineValue !== true && value.startsWith('-')))
    throw new UsageError(`${rawName} needs a value: ${rawName} <${shown}>.`)
  return requireText(rawName, value)
}

function requireText(what: string, value: string): string {
  if (value.trim() === '') throw new UsageError(`${what} is empty.`)
  return value
}
