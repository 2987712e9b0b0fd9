'use client'

import { useState } from 'react'
import { useQueries } from '#components/api/query.ts'
import { keyOf, type Named, type NameOf } from '#lib/audit/object-names.ts'
import { limits } from '#lib/limits.ts'
import { useTRPC } from '#lib/trpc.ts'

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
