import type { CatalogOperation } from '#lib/schemas/catalog.ts'
import { isJson } from '../answer.ts'
import { operationNamed, operations, wordsOf } from '../catalog.ts'
import { download, outFlags, outOf, toOutput } from '../download.ts'
import { usageError } from '../failure.ts'
import {
  commonFlags,
  contentOf,
  type Flag,
  flagsOf,
  inputFrom,
  optionsOf,
  parse,
  textOf,
  type Values,
  withoutFields,
} from '../flags.ts'
import { print, printEvent } from '../output.ts'
import { callServer, dataOf, type Extra } from '../request.ts'
import { openSession } from '../session.ts'
import { follow } from '../stream.ts'
import { type Command, type Context, commonUsage } from './command.ts'

export const call: Command = {
  name: 'call',
  summary: 'Call an operation by its dotted name',
  usage: `countersign call <operation> [--flag value …] [--json '<input>' | --json @file | --json -]\n${commonUsage}`,
  words: () => operations().map(({ name }) => name),
  async run({ args, ...context }) {
    const [name, ...rest] = args
    if (name === undefined || name.startsWith('-'))
      throw usageError('Name the operation: countersign call approvals.getPending.')
    return await callOperation(operationNamed(name), { ...context, args: rest })
  },
}

/** Flags of a call other than the fields of its input. */
export const callFlags = {
  json: { type: 'string' },
  body: { type: 'string' },
  type: { type: 'string' },
  ...outFlags,
  header: { type: 'string', multiple: true },
} as const

/** Calls one operation with the input that its flags and `--json` form, and prints the answer. */
export async function callOperation(
  operation: CatalogOperation,
  { args, environment, output }: Context,
): Promise<number | undefined> {
  const flags = flagsOf(operation)
  const { values, positionals } = parse(args, { ...commonFlags, ...callFlags, ...optionsOf(flags) })
  if (values.help === true) {
    output.out(helpOf(operation, flags))
    return undefined
  }
  if (positionals.length > 0)
    throw usageError(`Unexpected argument: ${positionals.join(' ')}. Fields are flags: see --help.`)
  const input = inputFrom(flags, operation.input, values)
  const extra = extraOf(operation, values)
  const out = outOf(values)
  const session = openSession(withoutFields(values, flags), environment)
  if (operation.kind === 'subscription') {
    for await (const event of follow(session, operation, input)) printEvent(output, event)
    return undefined
  }
  const isContent = operation.method === 'GET' && !operation.produces.some((type) => type.includes('json'))
  if (out !== undefined && isContent) {
    await download(session, operation, input, { out, output, extra })
    return undefined
  }
  const response = await callServer(session, operation, input, extra)
  if (isJson(response)) print(output, await dataOf(operation, response))
  else await toOutput(response)
  return undefined
}

function extraOf(operation: CatalogOperation, values: Values): Extra {
  const lines = [values.header ?? []].flat().map(String)
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const [, name, value] = /^([\w-]+): *(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw usageError(`--header: ${JSON.stringify(line)}. Must be name: value.`)
      return [name, value]
    }),
  )
  const hasFields = Object.values(operation.places).includes('body')
  const [first] = Object.keys(operation.body)
  const given = textOf(values, 'body')
  if (first === undefined || (hasFields && given === undefined)) return { headers }
  if (given === undefined)
    throw usageError(`--body: missing. Required, ${Object.keys(operation.body).join(' or ')}: @file or -.`)
  const content = contentOf(given)
  return { headers, document: { type: textOf(values, 'type') ?? first, make: () => content } }
}

/** What `--help` says of an operation: types, permission, an example. */
export function helpOf(operation: CatalogOperation, flags: readonly Flag[]): string {
  const { summary, permission, permissionForOwn, example, body, places } = operation
  const words = ['countersign', ...wordsOf(operation)].join(' ')
  const own = permissionForOwn === null ? '' : `, or ${permissionForOwn} for your own`
  const width = Math.max(0, ...flags.map(({ name, type }) => name.length + type.length + 3))
  const lines = flags.map(({ name, type, required, kind, nullable }) => {
    const line = `--${name}${type === '' ? '' : ` ${type}`}`.padEnd(width)
    const negated = nullable ? `or --no-${name} for null` : kind === 'boolean' && !required ? `or --no-${name}` : ''
    const rules = [required ? 'required' : '', negated].filter((rule) => rule !== '').join(', ')
    return `  ${line}${rules === '' ? '' : `  ${rules}`}`.trimEnd()
  })
  const documents =
    Object.keys(body).length > 0 && !Object.values(places).includes('body')
      ? [`  --body <@file|->  ${Object.keys(body).join(' or ')}`]
      : []
  return `${summary}

${words}${flags.length > 0 ? ' [--flag value …]' : ''}

${[...lines, ...documents].join('\n')}
  --json <input|@file|->  the whole input as JSON
${commonUsage}
Permission: ${permission === 'any' ? 'any member' : permission}${own}
Example: ${words} --json '${JSON.stringify(example).replaceAll("'", "'\\''")}'
`
}
