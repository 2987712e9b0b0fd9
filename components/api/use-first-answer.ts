'use client'

import { useDeferredValue } from 'react'

/**
 * `data` as it is drawn: the first answer of a query with low priority, because drawing a page or a list for the first time takes
 * long on a phone. As a deferred render it doesn’t hold up what the person does. Later answers as they come.
 */
export function useFirstAnswer<Data>(data: Data | undefined): Data | undefined {
  const drawn = useDeferredValue(data)
  return drawn === undefined ? undefined : data
}
