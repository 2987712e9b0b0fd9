'use client'

import { useInfiniteQuery } from '@tanstack/react-query'

type KeysetPage<Item> = { items: Item[]; nextCursor: string | null }

type PagesOptions<Input extends Record<string, unknown>, Item> = {
  /** The procedure: ['executions', 'list']. `trpc.executions.pathFilter()` invalidates it with the others. */
  path: [domain: string, procedure: string]
  input: Input
  /** The procedure's call: `client.executions.list.query`. */
  read: (input: Input & { cursor?: string }, options: { signal: AbortSignal }) => Promise<KeysetPage<Item>>
  enabled?: boolean
}

/** A keyset list, page by page. `items` is undefined until the first page is there; an error leaves what was read. */
export function usePages<Input extends Record<string, unknown>, Item>(options: PagesOptions<Input, Item>) {
  const { path, input, read, enabled = true } = options
  const query = useInfiniteQuery({
    queryKey: [path, { input, type: 'pages' }],
    queryFn: ({ pageParam, signal }) => read(pageParam === null ? input : { ...input, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    enabled,
  })
  return {
    items: query.data?.pages.flatMap((page) => page.items),
    error: query.error,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  }
}

export type Pages<Item> = Omit<ReturnType<typeof usePages<Record<string, unknown>, Item>>, 'items'> & {
  items: Item[] | undefined
}
