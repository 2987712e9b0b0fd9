import { type Status, StatusShape } from '#components/ui/status/status-shape.tsx'
import type { ExportStatus } from '#lib/schemas/evidence.ts'

const SHAPES: Record<ExportStatus, { status: Status; label: string }> = {
  queued: { status: 'pending', label: 'Queued' },
  preflight: { status: 'running', label: 'Checking the log' },
  collecting: { status: 'running', label: 'Collecting records' },
  sealing: { status: 'running', label: 'Sealing' },
  verifying: { status: 'running', label: 'Verifying' },
  completed: { status: 'approved', label: 'Completed' },
  completed_with_omissions: { status: 'omissions', label: 'Completed with omissions' },
  failed: { status: 'failed', label: 'Failed' },
  canceled: { status: 'revoked', label: 'Canceled' },
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
