#!/usr/bin/env node
import { kebab, operationIn, operations, wordsOf } from './catalog.ts'
import { call, callOperation } from './commands/call.ts'
import { catalogDiff, catalogList, catalogShow } from './commands/catalog.ts'
import { type Command, commonUsage } from './commands/command.ts'
import { completionOf } from './commands/completion.ts'
import { evidenceCreate } from './commands/evidence.ts'
import { filesDownload, filesUpload } from './commands/files.ts'
import { denied, guard } from './commands/guard.ts'
import { login } from './commands/login.ts'
import { logout } from './commands/logout.ts'
import { eventsSend, telemetrySend } from './commands/send.ts'
import { approvalsWatch, executionsStart, tracesFollow } from './commands/streams.ts'
import { evidenceVerify } from './commands/verify.ts'
import { whoami } from './commands/whoami.ts'
import { usageError } from './failure.ts'
import { formatOf, type Output, report } from './output.ts'

// Commands of their own come before operations with the same words.
const commands: readonly Command[] = [
  login,
  logout,
  whoami,
  call,
  catalogList,
  catalogShow,
  catalogDiff,
  evidenceCreate,
  evidenceVerify,
  eventsSend,
  telemetrySend,
  tracesFollow,
  approvalsWatch,
  executionsStart,
  filesUpload,
  filesDownload,
  guard,
  completionOf(() => commands),
]

/** As a hook, the program denies with every end that it can influence, until a permission is written. */
const guarding = process.argv[2] === guard.name
if (guarding) {
  process.exitCode = denied
  process.on('uncaughtException', () => process.exit(denied))
}

/** A reader that has read enough, such as `head`, does not count as a failure. */
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(guarding ? denied : error.code === 'EPIPE' ? 0 : 70),
)

const isTerminal = process.stdout.isTTY === true
const output: Output = {
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  format: isTerminal ? 'table' : 'json',
  errors: 'text',
  isTerminal,
  // A terminal may not say how wide it is.
  width: process.stdout.columns || undefined,
  hints: process.stderr.isTTY === true,
}

async function run(args: readonly string[]): Promise<number> {
  // What follows -- is not a flag: completion gets what the person has typed so far.
  const flags = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  const chosen = formatIn(flags)
  output.format = formatOf(chosen, isTerminal)
  output.errors = chosen === undefined || chosen === 'table' ? 'text' : 'json'
  const environment = process.env
  const words = wordsIn(args)
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word))
  const wantsHelp = flags.includes('--help') || flags.includes('-h')
  if (command !== undefined) {
    const rest = args.slice(command.name.split(' ').length)
    if (wantsHelp && !(command === call && words.length > 1)) return help(`${command.summary}\n\n${command.usage}`)
    return (await command.run({ args: rest, environment, output })) ?? 0
  }
  const found = operationIn(words)
  if (found !== undefined)
    return (await callOperation(found.operation, { args: args.slice(found.used), environment, output })) ?? 0
  if (words.length === 0) return wantsHelp || args.length === 0 ? help(overview()) : unknown(args)
  const within = commandsBelow(words.slice(0, 1))
  return words.length === 1 && within.length > 0 ? help(linesOf(within)) : unknown(words)
}

/** The words before the first flag: they name a command or an operation. */
function wordsIn(args: readonly string[]): string[] {
  const first = args.findIndex((arg) => arg.startsWith('-'))
  return first === -1 ? [...args] : args.slice(0, first)
}

/** Read before the other flags, because errors in those are reported in this format. */
function formatIn(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === '--output' || arg === '-o')
  return at === -1 ? args.find((arg) => arg.startsWith('--output='))?.slice('--output='.length) : (args[at + 1] ?? '')
}

function help(text: string): number {
  output.out(`${text.trimEnd()}\n`)
  return 0
}

function unknown(words: readonly string[]): never {
  // The longest beginning that has commands: the mistake is in the word after it.
  const known = words.findLastIndex((_word, index) => commandsBelow(words.slice(0, index + 1)).length > 0)
  const similar = known === -1 ? [] : commandsBelow(words.slice(0, known + 1)).map(({ name }) => name)
  throw usageError(
    `Unknown command: ${words.join(' ')}. See ${similar.length === 0 ? 'countersign --help' : similar.join(', ')}.`,
  )
}

/** Everything whose name begins with these words and continues. */
const commandsBelow = (words: readonly string[]) =>
  [...commands.map(({ name, summary }) => ({ name, summary })), ...listed()].filter(({ name }) =>
    name.startsWith(`${words.map(kebab).join(' ')} `),
  )

const listed = () =>
  operations().map((operation) => ({ name: wordsOf(operation).join(' '), summary: operation.summary }))

const linesOf = (entries: readonly { name: string; summary: string }[]): string => {
  const width = Math.max(...entries.map(({ name }) => name.length))
  return entries.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`).join('\n')
}

function overview(): string {
  const namespaces = [...new Set(operations().map((operation) => wordsOf(operation)[0]))].join(', ')
  return `countersign <command> [--flag value …]

${linesOf(commands)}

Operations: countersign <namespace> <operation>. Namespaces, each with its own --help:
  ${namespaces}
${commonUsage}
Credentials from the environment: COUNTERSIGN_API_KEY, COUNTERSIGN_TOKEN, or COUNTERSIGN_CLIENT_ID and COUNTERSIGN_CLIENT_SECRET
Exit codes: 0 done, 1 refused, 2 wrong usage, 3 not signed in, 4 unreachable, 5 different or not verified`
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  process.exitCode = report(output, error)
}
if (guarding) process.exit(process.exitCode === 0 ? 0 : denied)
