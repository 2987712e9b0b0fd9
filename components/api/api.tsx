'use client'

import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { apiFetch, type RestFetch, restFetch } from '#lib/api-fetch.ts'
import { createQueryClient } from '#lib/query-client.ts'
import { type Client, createClient, TRPCProvider } from '#lib/trpc.ts'
import { tokens } from './session.ts'

export type Api = {
  /** `fetch` with token and tenant, for downloads and streams. Gives error answers back; no answer is a RequestError. */
  fetchApi: typeof fetch
  /** JSON of a REST route; anything but 2xx is a RequestError. */
  restFetch: RestFetch
  client: Client
  queryClient: QueryClient
}

const ApiContext = createContext<Api | undefined>(undefined)

/** The API of the tenant in the address. Throws outside of a SessionProvider. */
export function useApi(): Api {
  const api = useContext(ApiContext)
  if (api === undefined) throw new Error('useApi() outside of <SessionProvider>')
  return api
}

/** `person` names whose answers the cache holds; another person gets another cache. */
export function ApiProvider({ tenant, person, children }: { tenant: string; person: string; children: ReactNode }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: nothing that one person was shown is kept for the next.
  const api = useMemo(() => createApi(tenant), [tenant, person])
  return (
    <ApiContext value={api}>
      {/* A query stays with the client that it began with: another person begins anew. */}
      <QueryClientProvider key={person} client={api.queryClient}>
        <TRPCProvider trpcClient={api.client} queryClient={api.queryClient}>
          {children}
        </TRPCProvider>
      </QueryClientProvider>
    </ApiContext>
  )
}

function createApi(tenant: string): Api {
  const fetchApi = apiFetch(tenant, tokens)
  return {
    fetchApi,
    restFetch: restFetch(fetchApi),
    client: createClient({ tenantExternalId: tenant, tokens, fetchApi }),
    queryClient: createQueryClient(),
  }
}
