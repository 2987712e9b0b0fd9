import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import type { CatalogOperation } from '#lib/schemas/catalog.ts'
import { argumentError } from '#lib/text/argument-error.mjs'
import { kebab } from './catalog.ts'
import { systemReason, usageError } from './failure.ts'
import { type Problem, problemsOf, withoutNull } from './validate.ts'

/** One field of an operation's input as a flag. */
export type Flag = {
  /** Without the two hyphens. */
  name: string
  field: string
  kind: 'text' | 'number' | 'boolean' | 'list' | 'json'
  /** For help: `<uuid>`, `<approve|reject|escalate>`. */
  type: string
  required: boolean
  /** `--no-<name>` sets it to null. Text can't: a field may be the word null. */
  nullable: boolean
  /** All values, if they are few. */
  choices?: readonly string[]
  /** What it accepts, if that is more than its field does. */
  accepts?: string
}

export type Values = { readonly [name: string]: string | boolean | (string | boolean)[] | undefined }

export type Options = NonNullable<ParseArgsConfig['options']>

/** Flags that every command has. A field of an operation with the same name takes precedence. */
export const commonFlags = {
  help: { type: 'boolean', short: 'h' },
  output: { type: 'string', short: 'o' },
  profile: { type: 'string' },
  url: { type: 'string' },
  tenant: { type: 'string' },
} as const satisfies ParseArgsConfig['options']

export function flagsOf({ input }: Pick<CatalogOperation, 'input'>): Flag[] {
  const required = Array.isArray(input.required) ? input.required : []
  const properties = isJsonObject(input.properties) ? input.properties : {}
  return Object.entries(properties).map(([field, schema]) => ({
    name: kebab(field),
    field,
    ...kindOf(isJsonObject(schema) ? schema : {}),
    required: required.includes(field),
  }))
}

type Kind = Pick<Flag, 'kind' | 'type' | 'choices' | 'nullable'>

function kindOf(schema: JsonObject): Kind {
  const alone = withoutNull(schema)
  if (alone === undefined) return { ...plainKindOf(schema), nullable: false }
  const found = plainKindOf(alone)
  // JSON and a boolean, whose --no-<name> is false, have null in JSON.
  return { ...found, nullable: found.kind !== 'json' && found.kind !== 'boolean' }
}

function plainKindOf(schema: JsonObject): Omit<Kind, 'nullable'> {
  if (Array.isArray(schema.enum) && schema.enum.every((one) => typeof one === 'string'))
    return { kind: 'text', type: `<${schema.enum.join('|')}>`, choices: schema.enum }
  if (typeof schema.const === 'boolean' || schema.type === 'boolean') return { kind: 'boolean', type: '' }
  if (schema.type === 'integer' || schema.type === 'number') return { kind: 'number', type: `<${schema.type}>` }
  if (schema.type === 'string') return { kind: 'text', type: `<${schema.format ?? 'text'}>` }
  const items = schema.type === 'array' && isJsonObject(schema.items) ? plainKindOf(schema.items) : undefined
  return items?.kind === 'text' ? { ...items, kind: 'list', type: `${items.type} …` } : { kind: 'json', type: '<json>' }
}

/** Options of `parseArgs` for flags: `--no-<name>` sets a boolean to false, and a field that may be null to null. */
export function optionsOf(flags: readonly Flag[]): Options {
  return Object.fromEntries(
    flags.flatMap(({ name, kind, nullable }): [string, Options[string]][] => {
      const type = kind === 'boolean' ? 'boolean' : 'string'
      const own: [string, Options[string]] = [name, kind === 'list' ? { type, multiple: true } : { type }]
      return kind === 'boolean' || nullable ? [own, [`no-${name}`, { type: 'boolean' }]] : [own]
    }),
  )
}

/** Reads arguments. Throws a usage error for an unknown flag and for one without its value. */
export function parse(args: readonly string[], options: Options) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    return { values: values as Values, positionals }
  } catch (error) {
    const problem = argumentError(error)
    throw problem === undefined ? error : usageError(`${problem} Add --help to see the options.`)
  }
}

export const textOf = (values: Values, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The program's own flags: a field with the name of one, such as `tenant`, does not choose the server or the credential. */
export const withoutFields = (values: Values, flags: readonly Flag[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => flags.every((flag) => flag.name !== name)))

/** Reads `@file`, `-` (the standard input), or the text itself. */
export function contentOf(given: string): string {
  if (given !== '-' && !given.startsWith('@')) return given
  return readText(given === '-' ? 0 : given.slice(1))
}

export const readText = (path: string | 0): string => readBytes(path).toString('utf8')

/** A file that the person named, or the standard input. */
export function readBytes(path: string | 0): Buffer<ArrayBuffer> {
  try {
    return readFileSync(path)
  } catch (error) {
    throw usageError(`${path === 0 ? 'The standard input' : path} can’t be read: ${systemReason(error)}.`)
  }
}

export function jsonOf(text: string, name: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    throw usageError(`${name}: ${shown(text)} is not valid JSON.`)
  }
}

/**
 * The input of an operation from its flags and `--json`, whose fields flags replace. Throws a usage error with flag, value and
 * rule for each field that the schema refuses; with the name of the field if it is from `--json`.
 */
export function inputFrom(flags: readonly Flag[], schema: JsonObject, values: Values): JsonObject {
  const json = textOf(values, 'json')
  const whole = json === undefined ? {} : jsonOf(contentOf(json), '--json')
  if (!isJsonObject(whole)) throw usageError('--json: Must be a JSON object.')
  const input: JsonObject = { ...whole }
  for (const flag of flags) {
    const value = valueGiven(flag, values)
    if (value !== undefined) input[flag.field] = value
  }
  const problems = problemsOf(schema, input)
  if (problems.length > 0)
    throw usageError(
      problems
        .map((problem) => asTyped(problem, flags, values))
        .map(({ path, value, rule }) => `${path}: ${shown(value)}. ${rule}`)
        .join('\n'),
    )
  return input
}

/** A problem under the name that the person typed, or should type. */
function asTyped(problem: Problem, flags: readonly Flag[], values: Values): Problem {
  const [field = ''] = problem.path.split(/[.[]/, 1)
  const flag = flags.find((one) => one.field === field)
  const isMissing = problem.value === undefined && problem.path === field && values.json === undefined
  if (flag === undefined || (valueGiven(flag, values) === undefined && !isMissing)) return problem
  const accepts = flag.accepts && problem.path === field ? flag.accepts : undefined
  const rule = accepts === undefined ? problem.rule : isMissing ? `Required, ${accepts}.` : `Must be ${accepts}.`
  return { ...problem, path: `--${flag.name}${problem.path.slice(field.length)}`, rule }
}

function valueGiven({ name, kind, nullable }: Flag, values: Values): JsonValue | undefined {
  const given = values[name]
  const negated = (kind === 'boolean' || nullable) && values[`no-${name}`] === true
  if (negated && given !== undefined) throw usageError(`Give either --${name} or --no-${name}.`)
  if (kind === 'boolean') return given === true ? true : negated ? false : undefined
  if (negated) return null
  if (given === undefined || typeof given === 'boolean') return undefined
  if (Array.isArray(given)) return given.map(String)
  if (kind === 'json') return jsonOf(contentOf(given), `--${name}`)
  // Text that is not a number is left as it is, so that the schema refuses it with its value.
  if (kind === 'number') return given.trim() !== '' && Number.isFinite(Number(given)) ? Number(given) : given
  // @@ is a text that begins with @, such as a policy.
  return given.startsWith('@@') ? given.slice(1) : given.startsWith('@') ? contentOf(given) : given
}

/** A value in a message, not longer than a line. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
