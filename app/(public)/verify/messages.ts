import type { BundleCheck, BundleReport } from '#lib/verify-bundle.ts'

/** What the worker says: the share of the bytes that is read, each check as it is made, then all of it, or why it could not go on. */
export type FromWorker = { share: number } | { check: BundleCheck } | { report: BundleReport } | { failed: string }
