import type { ExportScope } from '#lib/schemas/evidence.ts'

/** What an export is limited to, as a phrase. */
export function scopeWords(scope: ExportScope | null): string {
  if (scope === null) return 'Everything'
  if ('agentId' in scope) return `One agent (${scope.agentId})`
  return 'executionId' in scope ? `One execution (${scope.executionId})` : `One approval (${scope.approvalId})`
}
