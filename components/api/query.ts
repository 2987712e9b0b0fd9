/**
 * The only access of the console to the API. In a component below `SessionProvider`:
 *
 *   const trpc = useTRPC()                                              // lib/trpc.ts
 *   const agent = useQuery(trpc.agents.get.queryOptions({ id }))        // a response
 *   const list = usePages(trpc.executions.list, {})                     // a keyset list: use-pages.ts
 *   useChanges(['agents', 'executions'], pollMs)                        // keeps both current: use-changes.ts
 *   const act = useAct({ send: client.agents.retire.mutate, touches: ['agents'] })   // a change: use-act.ts
 *   const { client, rest, fetchApi } = useApi()                         // calls, REST routes (lib/rest.ts), downloads
 *
 * Nothing outside this folder imports the query library or the procedure client; server/architecture.test.ts enforces that.
 */
export {
  keepPreviousData,
  type QueryClient,
  useQueries,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
