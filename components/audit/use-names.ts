'use client'

import { useState } from 'react'
import { useQueries } from '#components/api/query.ts'
import { limits } from '#lib/limits.ts'
import { type Answers, useTRPC } from '#lib/trpc.ts'

type Row = Pick<Answers['audit']['list']['items'][number], 'actor' | 'resource'>
type Named = { type: string; id: string }
export type NameOf = (object: Named) => string | undefined

const keyOf = ({ type, id }: Named): string => `${type} ${id}`

/** Who acted, as an object with a name: an agent, or a member. */
const actorObject = ({ type, id }: Row['actor']): Named => ({ type: type === 'agent' ? 'agent' : 'member', id })

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

/** In parts that a call may ask for, so that further rows ask for their own names only. */
export function inParts<T>(items: readonly T[], size: number = limits.pageRows): T[][] {
  const parts: T[][] = []
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size))
  return parts
}

/**
 * The names of these objects, as far as they have arrived. Until then, and without the permission, they are undefined. Names that
 * are known stay while a list changes and asks again.
 */
export function useNames(objects: readonly Named[]): NameOf {
  const trpc = useTRPC()
  const [known] = useState(() => new Map<string, string>())
  const answers = useQueries({
    queries: inParts(objects).map((part) => trpc.search.names.queryOptions({ objects: part }, { staleTime: 60_000 })),
  })
  for (const { data } of answers) for (const one of data?.names ?? []) known.set(keyOf(one), one.name)
  return (object) => known.get(keyOf(object))
}
