import type { BundleCheck, BundleReport } from '#lib/verify-bundle.ts'

/** Messages of the worker: the share of bytes read, each completed check, and the final report or the reason of a failure. */
export type FromWorker = { share: number } | { check: BundleCheck } | { report: BundleReport } | { failed: string }
