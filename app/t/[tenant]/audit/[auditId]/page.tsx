import type { Metadata } from 'next'
import { placeholder } from '#lib/paths.ts'
import { AuditRecord } from './audit-record.tsx'

export const metadata: Metadata = { title: 'Audit record' }

export const generateStaticParams = () => [{ auditId: placeholder('auditId') }]

export default function AuditRecordPage() {
  return <AuditRecord />
}
