// The functions on mail that other domains may use.
export { findMail, findMailsAbout } from './store.ts'
