import type { z } from 'zod'
import type { AuditRecord } from '#lib/schemas/audit.ts'

type Row = Pick<z.infer<typeof AuditRecord>, 'actor' | 'resource'>
export type Named = { type: string; id: string }
export type NameOf = (object: Named) => string | undefined

export const keyOf = ({ type, id }: Named): string => `${type} ${id}`

/** Who acted, as an object with a name: an agent, or a member. */
export const actorObject = ({ type, id }: Pick<Row['actor'], 'type' | 'id'>): Named => ({
  type: type === 'agent' ? 'agent' : 'member',
  id,
})

/** What records name: their objects, and who acted, whose records have user names and the names of agents. */
export const objectsOf = (rows: readonly Row[]): Named[] => {
  const objects = rows.flatMap(({ actor, resource }) => [{ type: resource.type, id: resource.id }, actorObject(actor)])
  return [...new Map(objects.filter(({ id }) => id !== '').map((object) => [keyOf(object), object])).values()]
}

/** The display name of who acted, where it is known. */
export const actorName = ({ actor }: Pick<Row, 'actor'>, nameOf: NameOf): string =>
  nameOf(actorObject(actor)) ?? actor.name

export const namesIn = (names: readonly (Named & { name: string })[]): NameOf => {
  const known = new Map(names.map((one) => [keyOf(one), one.name]))
  return (object) => known.get(keyOf(object))
}
