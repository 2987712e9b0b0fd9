'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { getUntypedClient } from '@trpc/client'
import { useMemo } from 'react'
import { useApi } from './api.tsx'
import { useFirstAnswer } from './use-first-answer.ts'

type KeysetPage<Item> = { items: Item[]; nextCursor: string | null }

/** A keyset list: `trpc.executions.list`, or a REST route (`rest.evidence.list`), which has its own `read`. */
type Listing<Input, Item> = {
  '~types': { input: Input; output: KeysetPage<Item> }
  queryKey(): readonly [path: string[], ...unknown[]]
  read?: (input: object, signal: AbortSignal) => Promise<KeysetPage<Item>>
}
type Filter<Input> = Omit<NonNullable<Exclude<Input, undefined>>, 'cursor'>

/** Loads a list page by page. `items` is undefined until the first page has arrived; after an error it keeps the loaded pages. */
export function usePages<Input, Item>(listing: Listing<Input, Item>, input: Filter<Input>, { enabled = true } = {}) {
  const { client } = useApi()
  const [path] = listing.queryKey()
  const query = useInfiniteQuery({
    // Keyset lists have a separate key: infiniteQueryOptions adds a `direction` to inputs that strict schemas refuse.
    queryKey: [path, { input, type: 'pages' }],
    async queryFn({ pageParam, signal }) {
      const asked = pageParam === null ? input : { ...input, cursor: pageParam }
      // The proxy has every property, so only an own property distinguishes a route from a procedure.
      if ('read' in listing && listing.read !== undefined) return await listing.read(asked, signal)
      // The listing itself names the procedure and its types.
      const page: unknown = await getUntypedClient(client).query(path.join('.'), asked, { signal })
      return page as KeysetPage<Item>
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    enabled,
  })
  const { data } = query
  const items = useFirstAnswer(useMemo(() => data?.pages.flatMap((page) => page.items), [data]))
  return {
    items,
    error: query.error,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  }
}

export type Pages<Item> = Omit<ReturnType<typeof usePages<unknown, Item>>, 'items'> & { items: Item[] | undefined }
