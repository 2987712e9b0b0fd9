import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { visible } from '#lib/verify/programs/visible.ts'

export const cell = (value: JsonValue | undefined): string =>
  value === undefined || value === null ? '' : visible(typeof value === 'string' ? value : JSON.stringify(value))

const widest = 48
/** A text that is cut shorter than this says too little. */
const narrowest = 16
const usualWidth = 120
const gap = '  '

/**
 * A table of the fields that are not objects and, of those, as many as fit: what a row is and how it is doing comes first.
 * `omitted` names the fields without a column. Without rows, one line that says so.
 */
export function table(rows: readonly JsonValue[], width = usualWidth): { text: string; omitted: string[] } {
  if (rows.length === 0) return { text: 'No entries.\n', omitted: [] }
  const objects = rows.map((row) => (isJsonObject(row) ? row : { value: row }))
  const filled = [...new Set(objects.flatMap((row) => Object.keys(row)))].filter((name) =>
    objects.some((row) => cell(row[name]) !== ''),
  )
  const columns = fitting(ranked(filled.filter((name) => isPlain(objects, name))), objects, width)
  const body = objects.map((row) => columns.map((column) => cut(cell(row[column.name]), column.width)))
  const line = (cells: readonly string[]) =>
    cells
      .map((text, index) => text.padEnd(columns[index]?.width ?? 0))
      .join(gap)
      .trimEnd()
  const shown = columns.map(({ name }) => name)
  return {
    text: `${[shown, ...body].map(line).join('\n')}\n`,
    omitted: filled.filter((name) => !shown.includes(name)),
  }
}

const isPlain = (objects: readonly JsonObject[], name: string) =>
  objects.every((row) => typeof row[name] !== 'object' || row[name] === null)

const cut = (text: string, width: number) => (text.length > width ? `${text.slice(0, width - 1)}…` : text)

/**
 * The row's own id, its state and names, then when it happened, other facts, and ids of other objects last. The id of an object
 * whose name is in the row, and the second name of an object, are left out.
 */
function ranked(names: readonly string[]): string[] {
  const own = names.includes('id') ? 'id' : names[0]?.endsWith('Id') === true ? names[0] : undefined
  const isNamedBy = (name: string, ...others: string[]) => {
    const stem = name.replace(/(?:Id|DisplayName)$/, '')
    return stem !== name && others.some((other) => names.includes(`${stem}${other}`))
  }
  const times = names.filter((name) => /(?:At|Time|^at|^date)$/.test(name))
  const rank = (name: string): number => {
    if (name === own) return 0
    if (/^(?:status|state)$/.test(name)) return 1
    if (/^(?:name|title)$/.test(name)) return 2
    if (/(?:Name|Title|Username)$/.test(name)) return 3
    if (times.includes(name)) return times.indexOf(name) < 2 ? 4 : 6
    return /(?:Ids?|Digest|^revision)$/.test(name) ? 7 : 5
  }
  return names
    .filter((name) => name === own || !(isNamedBy(name, 'Name', 'Title', 'Username', '') && /Id$/.test(name)))
    .filter((name) => !(/DisplayName$/.test(name) && isNamedBy(name, 'Name')))
    .sort((a, b) => rank(a) - rank(b))
}

type Column = { name: string; width: number }

/** The columns in their order, as far as they fit. The first one is always shown, and sentences are cut to what is left. */
function fitting(names: readonly string[], objects: readonly JsonObject[], width: number): Column[] {
  const columns: Column[] = []
  let left = width + gap.length
  for (const name of names) {
    const cells = objects.map((row) => cell(row[name]))
    const wanted = Math.min(widest, Math.max(name.length, ...cells.map((text) => text.length)))
    const isProse = cells.some((text) => text.includes(' '))
    const least = columns.length === 0 || !isProse ? wanted : Math.min(wanted, Math.max(narrowest, name.length))
    const room = Math.max(left - gap.length, columns.length === 0 ? wanted : 0)
    if (least > room) continue
    columns.push({ name, width: Math.min(wanted, room) })
    left = room - Math.min(wanted, room)
  }
  return columns
}
