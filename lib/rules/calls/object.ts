import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'

/** In characters. */
const longest = 80

/**
 * The name or id of what a call is about. In this order: the arguments that usually have it; an id in another spelling, or a whole
 * number; every other argument that is called an id or a number, unless it only says where; of those in `required`, the first. Those
 * that say in what an id is unique come before the last three: "acme, api, 42".
 */
export function targetOf(args: JsonObject, required: readonly string[] = []): string | undefined {
  return usualTarget(args) ?? otherTarget(args, required)
}

/** By which requests of earlier versions were found, and still are. */
export const usualTarget = (args: JsonObject): string | undefined =>
  [args.id, args.orderId, args.customerId, args.name, args.path, args.file, args.file_path].find(
    (value): value is string => typeof value === 'string' && value !== '' && value.length <= longest,
  )

const ids = ['id', 'order id', 'customer id', 'file path']
const places = ['tenant', 'organization', 'org', 'workspace', 'project', 'owner', 'repository', 'repo']

function otherTarget(args: JsonObject, required: readonly string[]): string | undefined {
  const named = Object.keys(args)
    .map((name) => ({ words: wordsOf(name), text: wordOf(args[name]) }))
    .filter((one): one is { words: string; text: string } => one.text !== undefined && !secret.test(one.words))
  const called = (words: string) => named.find((one) => one.words === words)
  const found =
    firstOf(ids.map(called)) ??
    named
      .filter(({ words, text }) =>
        / id$/.test(words) ? !where.test(words) : /(?:^| )number$/.test(words) && !longNumber.test(text),
      )
      .sort((one, other) => (one.words < other.words ? -1 : 1))
  const objects = found.length > 0 ? found : firstOf(required.map((name) => called(wordsOf(name))))
  if (objects === undefined) return undefined
  const around = places.map(called).filter((one) => one !== undefined && !objects.includes(one))
  const target = [...around, ...objects].map((one) => one?.text).join(', ')
  return target.length <= longest ? target : undefined
}

function firstOf<T>(found: readonly (T | undefined)[]): T[] | undefined {
  const first = found.find((one) => one !== undefined)
  return first === undefined ? undefined : [first]
}

/** Ids of where something goes or happens, such as a channel: many calls that have nothing to do with each other share one. */
const where =
  /\b(?:account|bucket|board|calendar|channel|chat|collection|conversation|database|drive|folder|index|list|org|organization|owner|project|queue|region|repo|repository|room|session|site|spreadsheet|team|tenant|thread|topic|workspace) id$/

/** Titles are in mails and messages. */
const secret = /\b(?:secret|token|password|passphrase|credentials?|keys?|pin|command)\b/
/** It may be the number of a card, a phone or an account. */
const longNumber = /^\+?\d[\d -]{6,}$/

/** "order id" of `orderId`, `order_id`, `order-id` and `OrderID`. */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .replaceAll(/[_\-\s]+/g, ' ')
    .trim()
    .toLowerCase()

/** One word, or a whole number that is written as it was sent. */
function wordOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return /^\S+$/.test(value) && value.length <= longest ? value : undefined
  return Number.isSafeInteger(value) ? String(value) : undefined
}

/** The arguments that each call of a tool has, in the order of its schema: texts and whole numbers that can name something. */
export function requiredBy({ required, properties }: JsonObject): string[] {
  if (!Array.isArray(required) || !isJsonObject(properties)) return []
  return required.filter(
    (name): name is string =>
      typeof name === 'string' && Object.hasOwn(properties, name) && canName(name, properties[name]),
  )
}

function canName(name: string, property: JsonValue | undefined): boolean {
  if (!isJsonObject(property) || property.enum !== undefined || property.const !== undefined) return false
  if (property.type !== 'string' && property.type !== 'integer') return false
  const words = wordsOf(name)
  return !quantity.test(words) && !places.includes(words)
}

const quantity = /\b(?:amount|total|sum|price|currency|quantity|count|limit|page|offset)\b/
