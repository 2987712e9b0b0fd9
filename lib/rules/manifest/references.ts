import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import {
  asNumber,
  expressionsIn,
  parseCondition,
  parseLiteral,
  parseReference,
  TemplateError,
} from '#lib/rules/template.ts'
import { waitGroup } from '#lib/rules/waits.ts'

type Path = (string | number)[]
/** A reference or condition that can't work: its path (keys and indices from `spec`) and a message. */
export type ReferenceFlaw = { path: Path; message: string }

/** What is known of a step's output before it runs. The outputs of tools and the data of single inputs can be anything. */
type Output = 'anything' | { members: readonly string[]; texts: readonly string[] }
type Known = { steps: ReadonlyMap<string, Output>; all: ReadonlySet<string> }

/**
 * References and conditions of `runtime.steps`, `runtime.chat.prompt` and `approvalCard` that no execution could resolve.
 * Anything whose value depends on an execution is left to it.
 */
export function referenceFlaws(spec: JsonValue | undefined): ReferenceFlaw[] {
  if (!isJsonObject(spec) || !isJsonObject(spec.runtime)) return []
  const { steps, chat } = spec.runtime
  if (isJsonObject(chat)) return flawsIn(chat.prompt, ['runtime', 'chat', 'prompt'], nothing)
  if (!Array.isArray(steps)) return []
  const all = new Set(steps.flatMap((step) => idOf(step) ?? []))
  const before = new Map<string, Output>()
  const flaws = steps.flatMap((step, index) => {
    const path = ['runtime', 'steps', index]
    const id = idOf(step)
    const known = { steps: before, all }
    const found = isJsonObject(step) ? stepFlaws(step, path, known) : []
    if (id === undefined) return found
    if (before.has(id)) found.push({ path: [...path, 'id'], message: `Two steps have the id ${id}.` })
    before.set(id, outputOf(step))
    return found
  })
  // A card is filled at any call, so that it may refer to any step.
  return [...flaws, ...flawsIn(spec.approvalCard, ['approvalCard'], { steps: before, all })]
}

const nothing: Known = { steps: new Map(), all: new Set() }

const idOf = (step: JsonValue): string | undefined =>
  isJsonObject(step) && typeof step.id === 'string' ? step.id : undefined

function outputOf(step: JsonValue): Output {
  if (!isJsonObject(step)) return 'anything'
  if (isJsonObject(step.model))
    return { members: ['content', 'toolCalls', 'finishReason'], texts: ['content', 'finishReason'] }
  const group = waitGroup(step.wait)
  return group === undefined || group.mode === 'one' ? 'anything' : { members: group.inputs, texts: [] }
}

function stepFlaws(step: JsonObject, path: Path, known: Known): ReferenceFlaw[] {
  return [
    ...conditionFlaws(step.when, [...path, 'when'], known),
    ...(isJsonObject(step.tool) ? flawsIn(step.tool.arguments, [...path, 'tool', 'arguments'], known) : []),
    ...(isJsonObject(step.model) ? flawsIn(step.model.prompt, [...path, 'model', 'prompt'], known) : []),
  ]
}

/** The flaws of all references in the strings of a value. */
function flawsIn(value: JsonValue | undefined, path: Path, known: Known): ReferenceFlaw[] {
  if (typeof value === 'string')
    return expressionsIn(value).flatMap((expression) => {
      const message = whyUnresolvable(expression, known)
      return message === undefined ? [] : [{ path, message }]
    })
  if (Array.isArray(value)) return value.flatMap((inner, index) => flawsIn(inner, [...path, index], known))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => flawsIn(inner, [...path, name], known))
}

/** Undefined if the reference may have a value. */
function whyUnresolvable(expression: string, { steps, all }: Known): string | undefined {
  const reference = parsed(() => parseReference(expression))
  if (typeof reference === 'string') return reference
  const { step, keys } = reference
  if (step === undefined) return undefined
  const output = steps.get(step)
  if (output === undefined)
    return all.has(step)
      ? `\${${expression.trim()}} refers to a step that does not run before this one.`
      : `\${${expression.trim()}} refers to the unknown step ${step}.${listed('Steps', [...all])}`
  const [key] = keys
  if (output === 'anything' || key === undefined || output.members.includes(key)) return undefined
  return `The output of ${step} does not have the member ${key}.${listed('Members', output.members)}`
}

const listed = (what: string, names: readonly string[]) =>
  names.length === 0 ? '' : ` ${what}: ${names.slice(0, 10).join(', ')}.`

function conditionFlaws(condition: JsonValue | undefined, path: Path, known: Known): ReferenceFlaw[] {
  if (condition === undefined) return []
  if (typeof condition !== 'string') return [{ path, message: 'when must be a text such as "${input.amount} > 100".' }]
  const message = parsed(() => {
    const { expression, operator, literal } = parseCondition(condition)
    const value = parseLiteral(literal)
    return whyUnresolvable(expression, known) ?? whyNeverEqual(expression, operator, value, known)
  })
  return message === undefined ? [] : [{ path, message }]
}

/** A comparison whose result does not depend on the execution, or that ends each one with an error. */
function whyNeverEqual(
  expression: string,
  operator: string,
  literal: string | number | boolean | null,
  { steps }: Known,
): string | undefined {
  const ordered = operator !== '==' && operator !== '!='
  if (ordered && asNumber(literal) === undefined)
    return `${operator} compares numbers. ${JSON.stringify(literal)} is not a number.`
  const { step, keys } = parseReference(expression)
  const output = step === undefined ? inputOfExecution : (steps.get(step) ?? 'anything')
  if (output === 'anything') return undefined
  const [key, ...below] = keys
  const reference = `\${${expression.trim()}}`
  if (key === undefined) return `${reference} is an object, which never equals a literal. Refer to one of its members.`
  if (!output.texts.includes(key)) return undefined
  if (below.length > 0) return `${reference} does not have a value: ${key} is a text.`
  return typeof literal === 'boolean' || literal === null
    ? `${reference} is a text, which never equals ${literal}.`
    : undefined
}

/** Its members are those of the caller. */
const inputOfExecution: Output = { members: [], texts: [] }

/** The result of `read`, or the message of its TemplateError. */
function parsed<T>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    if (error instanceof TemplateError) return error.message
    throw error
  }
}
