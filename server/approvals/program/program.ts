import { isJsonObject, type JsonValue } from '#lib/json.ts'
import type { CallingProgram } from '#lib/schemas/approvals/program.ts'
import { findTokenNames } from '#server/connection-tokens/store.ts'
import { findClientNames } from '#server/identity/clients/registered-client-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { findStarts } from './program-store.ts'

type Asking = { kind: string; executionId: string | null; presentation: { position: string | null } }

/** The programs that made the calls of these requests over MCP. */
export async function programsOf<R extends Asking>(
  tx: Transaction,
  tenantId: string,
  requests: readonly R[],
): Promise<(request: R) => CallingProgram | undefined> {
  const starts = await findStarts(tx, tenantId, [...new Set(requests.flatMap(callIn))])
  const programs = new Map([...starts].flatMap(([id, details]) => named(id, programIn(details))))
  const ids = (kind: CallingProgram['kind']) => [
    ...new Set([...programs.values()].flatMap((one) => (one.kind === kind && one.id !== null ? [one.id] : []))),
  ]
  const names = new Map<string, string | null>([
    ...(await findClientNames(tx, tenantId, ids('client'))),
    ...(await findTokenNames(tx, tenantId, ids('connection_token'))),
  ])
  return (request) => {
    const program = programs.get(request.executionId ?? '')
    return program && { ...program, name: names.get(program.id ?? '') ?? null }
  }
}

/** The execution of a call that is not a step of a plan, such as one over MCP. */
const callIn = ({ kind, executionId, presentation }: Asking): string[] =>
  kind === 'tool_call' && executionId !== null && presentation.position === null ? [executionId] : []

const named = <T>(id: string, value: T | undefined): [string, T][] => (value === undefined ? [] : [[id, value]])

/** As the record of the start tells: its details name the token or the client by which the caller acted. */
function programIn(details: JsonValue): Omit<CallingProgram, 'name'> | undefined {
  if (!isJsonObject(details) || details.via !== 'mcp') return undefined
  const { clientId, connectionTokenId } = details
  if (typeof clientId === 'string') return { kind: 'client', id: clientId }
  if (typeof connectionTokenId === 'string') return { kind: 'connection_token', id: connectionTokenId }
  return { kind: 'mcp', id: null }
}
