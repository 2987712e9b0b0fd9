import { inputProblemText } from '#components/executions/input-problem-text.ts'
import * as t from '#components/texts/execution-start/en.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { inputProblems } from '#lib/rules/manifest/input-schema.ts'
import { expressionsIn, parseReference, TemplateError } from '#lib/rules/template.ts'
import type { InputSchema, InputValue } from '#lib/schemas/manifest.ts'

/** A field of the form for an input. `path`: names from the input's top. `choices`: of a value that is one of several. */
export type InputField = {
  path: string[]
  label: string
  hint: string | undefined
  required: boolean
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'json'
  format: InputValue['format']
  choices: (string | number | boolean)[]
  initial: string
}

export const keyOf = (path: readonly string[]): string => path.join('.')

/** The manifest's description of its input, if it has a usable one. */
export function schemaIn(spec: JsonValue | undefined): InputSchema | undefined {
  return isJsonObject(spec) && isJsonObject(spec.inputSchema) && isJsonObject(spec.inputSchema.properties)
    ? (spec.inputSchema as InputSchema)
    : undefined
}

/** The fields for an input: those that the manifest describes, or else those that it refers to. None if it does neither. */
export function fieldsOf(spec: JsonValue | undefined): InputField[] {
  const schema = schemaIn(spec)
  return schema === undefined ? referredFields(spec) : describedFields(schema, [], true)
}

function describedFields(
  { properties = {}, required = [] }: InputValue | InputSchema,
  path: string[],
  above: boolean,
): InputField[] {
  return Object.entries(properties).flatMap(([name, wanted]) => {
    const at = [...path, name]
    const needed = above && required.includes(name)
    if (wanted.type === 'object' && Object.keys(wanted.properties ?? {}).length > 0)
      return describedFields(wanted, at, needed)
    return [
      {
        path: at,
        label: wanted.title ?? labelOf(at),
        hint: wanted.description,
        required: needed,
        kind: kindOf(wanted),
        format: wanted.format,
        choices: wanted.enum ?? [],
        initial: wanted.default === undefined ? '' : textOf(wanted.default, kindOf(wanted)),
      },
    ]
  })
}

function kindOf({ type, enum: choices }: InputValue): InputField['kind'] {
  if (choices !== undefined) return 'choice'
  if (type === 'string' || type === 'boolean') return type === 'string' ? 'text' : 'boolean'
  return type === 'number' || type === 'integer' ? 'number' : 'json'
}

/** "orderId" becomes "Order id", as a person would write it. */
function labelOf(path: readonly string[]): string {
  const words = path
    .map((name) => name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' '))
    .join(', ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A field for each `${input.x}`: required where a step that always runs needs it. */
function referredFields(spec: JsonValue | undefined): InputField[] {
  if (!isJsonObject(spec) || !isJsonObject(spec.runtime)) return []
  const { steps, chat } = spec.runtime
  const found = new Map<string, { path: string[]; required: boolean }>()
  const collect = (value: JsonValue | undefined, required: boolean) => {
    for (const path of referencesIn(value)) {
      const before = found.get(keyOf(path))
      found.set(keyOf(path), { path, required: required || before?.required === true })
    }
  }
  for (const step of Array.isArray(steps) ? steps : []) {
    if (!isJsonObject(step)) continue
    collect(step.when, true)
    collect([step.tool ?? null, step.model ?? null], step.when === undefined)
  }
  collect(isJsonObject(chat) ? chat.prompt : undefined, true)
  collect(spec.approvalCard, false)
  const paths = [...found.values()]
  // A member of an object that has a field itself would have two.
  const whole = paths.filter(({ path }) => !paths.some((other) => isAbove(other.path, path)))
  return whole.map(({ path, required }) => ({
    path,
    label: labelOf(path),
    hint: undefined,
    required,
    kind: paths.some((other) => isAbove(path, other.path)) ? 'json' : 'text',
    format: undefined,
    choices: [],
    initial: '',
  }))
}

const isAbove = (one: readonly string[], other: readonly string[]): boolean =>
  one.length < other.length && one.every((name, index) => name === other[index])

/** The paths into the input that the strings of a value refer to. Elements of lists, and texts that are not references, are left out. */
function referencesIn(value: JsonValue | undefined): string[][] {
  if (typeof value === 'string') return expressionsIn(value).flatMap((expression) => pathOf(expression) ?? [])
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  return isJsonObject(value) ? Object.values(value).flatMap(referencesIn) : []
}

function pathOf(expression: string): string[][] | undefined {
  try {
    const { step, keys } = parseReference(expression)
    const list = keys.findIndex((key) => /^\d+$/.test(key))
    const path = list < 0 ? keys : keys.slice(0, list)
    return step === undefined && path.length > 0 ? [path] : undefined
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

/** What is typed into the fields, by `keyOf` their paths. */
export type Texts = Readonly<Record<string, string>>

export const initialTexts = (fields: readonly InputField[]): Texts =>
  Object.fromEntries(fields.map(({ path, initial }) => [keyOf(path), initial]))

/** The problems of fields, by `keyOf` their paths. */
export type Problems = ReadonlyMap<string, string>

/** The input that the fields describe, and why it can't be sent. An empty field that is not required is left out. */
export function inputFrom(
  fields: readonly InputField[],
  texts: Texts,
  schema: InputSchema | undefined,
): { input: JsonObject; problems: Problems } {
  const input: JsonObject = {}
  const problems = new Map<string, string>()
  for (const field of fields) {
    const text = texts[keyOf(field.path)] ?? ''
    if (text.trim() === '') {
      if (field.required) problems.set(keyOf(field.path), t.required)
      continue
    }
    const value = valueFrom(field, text)
    if (value === undefined) problems.set(keyOf(field.path), notValid[field.kind])
    else place(input, field.path, value)
  }
  for (const problem of schema === undefined ? [] : inputProblems(schema, input)) {
    const { path } = problem
    const field = fields.find((one) => keyOf(one.path) === keyOf(path) || isAbove(one.path, path))
    // A required object without a member is reported by its own required fields.
    if (field !== undefined && !problems.has(keyOf(field.path)))
      problems.set(keyOf(field.path), inputProblemText(problem))
  }
  return { input, problems }
}

const notValid: Record<InputField['kind'], string> = {
  text: t.notValidText,
  number: t.mustBeNumber,
  boolean: t.mustBeTrueOr,
  choice: t.chooseOneOfValues,
  json: t.notValidJsonPut,
}

function valueFrom({ kind, choices }: InputField, text: string): JsonValue | undefined {
  if (kind === 'text') return text
  if (kind === 'choice') return choices.find((one) => String(one) === text)
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  const parsed = parsedJson(text)
  return kind === 'json' || typeof parsed === 'number' ? parsed : undefined
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function place(input: JsonObject, path: readonly string[], value: JsonValue): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    define(input, name, value)
    return
  }
  const inner = Object.hasOwn(input, name) ? input[name] : undefined
  const object = isJsonObject(inner) ? inner : {}
  define(input, name, object)
  place(object, rest, value)
}

/** As an own property: a manifest may name a member `__proto__`. */
function define(object: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
}

/** The fields filled with an input; undefined if it has members that the fields don't show. */
export function textsFor(fields: readonly InputField[], input: JsonObject): Texts | undefined {
  const texts: Record<string, string> = {}
  let shown = 0
  for (const { path, kind } of fields) {
    const value = at(input, path)
    if (value === undefined) texts[keyOf(path)] = ''
    else {
      if (kind === 'text' && typeof value !== 'string') return undefined
      texts[keyOf(path)] = textOf(value, kind)
      shown += leavesOf(value)
    }
  }
  return shown === leavesOf(input) ? texts : undefined
}

const at = (input: JsonObject, path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>(
    (value, name) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    input,
  )

const leavesOf = (value: JsonValue): number =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? Object.values(value).reduce<number>((sum, inner) => sum + leavesOf(inner), 0)
    : 1

const textOf = (value: JsonValue, kind: InputField['kind']): string =>
  typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value)
