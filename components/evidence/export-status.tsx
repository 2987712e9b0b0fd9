import * as t from '#components/texts/evidence/en.ts'
import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { ExportStatus } from '#lib/schemas/evidence.ts'

const SHAPES: Record<ExportStatus, { status: Status; label: string }> = {
  queued: { status: 'pending', label: t.queued },
  preflight: { status: 'running', label: t.checkingLog },
  collecting: { status: 'running', label: t.collectingRecords },
  sealing: { status: 'running', label: t.sealing },
  verifying: { status: 'running', label: t.verifying },
  completed: { status: 'approved', label: t.completed },
  completed_with_omissions: { status: 'omissions', label: t.completedWithOmissions },
  failed: { status: 'failed', label: t.failed },
  canceled: { status: 'revoked', label: t.canceled },
}

/** The state of an export; an unknown one is shown by its name. */
export function ExportStatusShape({ status, boxed = false }: { status: ExportStatus; boxed?: boolean }) {
  const known = Object.hasOwn(SHAPES, status) ? SHAPES[status] : { status: 'running' as const, label: status }
  return <StatusShape {...known} boxed={boxed} />
}

const OVER: ReadonlySet<ExportStatus> = new Set(['completed', 'completed_with_omissions', 'failed', 'canceled'])

/** Returns whether the export has ended. */
export const isOver = (status: ExportStatus): boolean => OVER.has(status)
/** Returns whether the archive exists. */
export const hasArchive = (status: ExportStatus): boolean =>
  status === 'completed' || status === 'completed_with_omissions'
