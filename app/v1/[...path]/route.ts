import { procedures } from '#server/procedures.ts'

export { procedures as GET, procedures as POST }
