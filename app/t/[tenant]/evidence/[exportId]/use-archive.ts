import { useApi } from '#components/api/api.tsx'
import { whoCan } from '#components/navigation/action-link.tsx'
import type { From } from '#components/page/resumed.ts'
import { useSession } from '#components/session/session-provider.tsx'
import { failureFromBody, RequestError } from '#lib/failure.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'

/** Access to the archive of an export: its name, who may read it, and the request, which the server records. */
export function useArchive({ exportId, archiveName, includeRawPayloads }: ExportJob) {
  const { can } = useSession()
  const { fetchApi } = useApi()
  const needed = (
    includeRawPayloads ? (['evidence:read', 'evidence:raw'] as const) : (['evidence:read'] as const)
  ).find((permission) => !can(permission))
  async function fetchArchive(signal?: AbortSignal, from?: From): Promise<Response> {
    const response = await fetchApi(`/v1/evidence/factory/jobs/${exportId}/download`, {
      ...(signal && { signal }),
      ...(from && { headers: { range: `bytes=${from.start}-`, 'if-range': from.etag } }),
    })
    if (response.ok) return response
    throw new RequestError(failureFromBody(await response.json().catch(() => undefined), response))
  }
  return {
    name: archiveName ?? `evidence-room-${exportId}.zip`,
    /** Why the person may not read it. */
    blocked: needed === undefined ? undefined : whoCan(needed),
    /** Rejects with RequestError when the server refuses. `from`: only the rest of a download that broke off. */
    fetchArchive,
  }
}
