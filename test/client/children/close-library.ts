/**
 * Opens the library with the seeds in its arguments, asks a question and closes the library. Waits until all sockets
 * are closed, and then prints whether any had been open.
 */
import { createBftScan } from '../../../src/bft-scan.ts'
import { eventually } from '../../support/eventually.ts'

const scanClient = { seedUrls: process.argv.slice(2), allowHttp: true, allowPrivate: true }
const scan = await createBftScan({ scanClient })
const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length
await scan.getDsoPartyId()
const whileOpen = sockets()
await scan[Symbol.asyncDispose]()
await eventually(() => sockets() === 0)
process.stdout.write(JSON.stringify({ whileOpen: whileOpen > 0, closed: true }))
