'use client'

import { useEffect, useRef } from 'react'
import { useApi, useLive } from '#components/api/api.tsx'

/**
 * Calls `onChange` as soon as the person's membership may have changed: the server reports it, or it has closed the
 * socket, as it does when the membership was suspended or removed or has lost a role.
 */
export function useMembershipWatch(enabled: boolean, onChange: () => void): void {
  const { client } = useApi()
  const live = useLive()
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a socket that is back may have lost the subscription.
  useEffect(() => {
    if (!enabled) return
    let connected = false
    const { unsubscribe } = client.session.watch.subscribe(
      {},
      {
        onData({ data }) {
          connected = true
          if (data.type === 'changed') latest.current()
        },
        onConnectionStateChange({ state }) {
          if (connected && state === 'connecting') {
            connected = false
            latest.current()
          }
        },
        onError: () => latest.current(),
      },
    )
    return unsubscribe
  }, [client, enabled, live])
}
