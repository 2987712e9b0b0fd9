import type { Metadata } from 'next'

import { NewExport } from './new-export.tsx'

export const metadata: Metadata = { title: 'New evidence export' }

export default function NewExportPage() {
  return <NewExport />
}
