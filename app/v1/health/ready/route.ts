import { readiness } from '#server/readiness.ts'

export { readiness as GET }
