'use client'

import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useMemo, useState, useSyncExternalStore } from 'react'
import { tokens } from '#components/session/session.ts'
import { apiFetch } from '#lib/api-fetch.ts'
import { createQueryClient } from '#lib/query-client.ts'
import { createRest, type Rest } from '#lib/rest.ts'
import { type Client, createClient, TRPCProvider } from '#lib/trpc.ts'
import { createLive, type Live } from './live.ts'

export type Api = {
  /** `fetch` with token and tenant, for downloads and streams. Returns error responses; rejects with a RequestError without a response. */
  fetchApi: typeof fetch
  /** The routes that the API offers only by REST. Any response except 2xx rejects with a RequestError. */
  rest: Rest
  client: Client
  queryClient: QueryClient
  live: Live
}

const ApiContext = createContext<Api | undefined>(undefined)

/** The API of the tenant in the address. Throws outside of a SessionProvider. */
export function useApi(): Api {
  const api = useContext(ApiContext)
  if (api === undefined) throw new Error('useApi() outside of <SessionProvider>')
  return api
}

/** Whether changes are pushed; false while the socket is down. */
export function useLive(): boolean {
  const { live } = useApi()
  return useSyncExternalStore(live.subscribe, live.isUp, () => true)
}

/** `person` owns the cached responses, '' while unknown; another person gets another cache. */
export function ApiProvider({ tenant, person, children }: { tenant: string; person: string; children: ReactNode }) {
  const cache = useCacheOf(person)
  // biome-ignore lint/correctness/useExhaustiveDependencies: one person's data is not kept for the next.
  const api = useMemo(() => createApi(tenant), [tenant, cache])
  return (
    <ApiContext value={api}>
      {/* A query keeps its first client, so another person starts with fresh components. */}
      <QueryClientProvider key={cache} client={api.queryClient}>
        <TRPCProvider trpcClient={api.client} queryClient={api.queryClient}>
          {children}
        </TRPCProvider>
      </QueryClientProvider>
    </ApiContext>
  )
}

/**
 * Returns a number for each person in turn. The first person keeps the number from before they were known: nothing was
 * loaded until then, and a click on a link that is replaced between pressing and releasing is lost.
 */
function useCacheOf(person: string): number {
  const [{ owner, cache }, set] = useState({ owner: person, cache: 0 })
  if (person === owner) return cache
  const next = owner === '' ? cache : cache + 1
  set({ owner: person, cache: next })
  return next
}

function createApi(tenant: string): Api {
  const fetchApi = apiFetch(tenant, tokens)
  const client = createClient({ tenantExternalId: tenant, tokens, fetchApi })
  const queryClient = createQueryClient()
  return { fetchApi, rest: createRest(fetchApi), client, queryClient, live: createLive(client, queryClient) }
}
