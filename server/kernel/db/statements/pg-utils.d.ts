/** Part of the driver that its types leave out. */
declare module 'pg/lib/utils.js' {
  const utils: {
    /** A parameter as PostgreSQL reads it. Throws for a value that can't be written, such as an object that contains itself. */
    prepareValue(value: unknown): string | Buffer | null
  }
  export default utils
}
