'use client'

import { useState } from 'react'
import { useQueries } from '#components/api/query.ts'
import { inParts } from '#components/lists/in-parts.ts'
import { keyOf, type Named, type NameOf } from '#lib/audit/object-names.ts'
import { useTRPC } from '#lib/trpc.ts'

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
