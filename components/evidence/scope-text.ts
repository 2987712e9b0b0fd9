import * as t from '#components/texts/evidence/en.ts'
import type { ExportScope } from '#lib/schemas/evidence.ts'

/** What an export is limited to, as a phrase. */
export function scopeText(scope: ExportScope | null): string {
  if (scope === null) return t.everything
  if ('agentId' in scope) return t.scopeAgent({ id: scope.agentId })
  return 'executionId' in scope
    ? t.scopeExecution({ id: scope.executionId })
    : t.scopeApproval({ id: scope.approvalId })
}
