import type { Metadata } from 'next'
import { placeholder } from '#lib/paths.ts'
import { EvidenceExport } from './evidence-export.tsx'

export const metadata: Metadata = { title: 'Evidence export' }

export const generateStaticParams = () => [{ exportId: placeholder('exportId') }]

export default function EvidenceExportPage() {
  return <EvidenceExport />
}
