'use client'

import { useEffect } from 'react'
import type { Pages } from '#components/api/use-pages.ts'

/**
 * Loads the pages of a list one after another, up to `most` rows, for what is about the list as a whole. With 0, pages are loaded
 * on request as usual. `loading` also while the pages after the first one are read.
 */
export function useWhole<Item>(pages: Pages<Item>, most: number): Pages<Item> & { loading: boolean } {
  const { items, hasMore, loadingMore, loadMore, error } = pages
  const loading = hasMore && (items?.length ?? 0) < most
  useEffect(() => {
    if (loading && !loadingMore && error === null) loadMore()
  })
  return { ...pages, loading }
}
