/** Makes a read whose token function never ends. Prints the message of the error that the read rejects with. */
import { createClient } from '../../../src/client/client.ts'

const token = () => new Promise<string>(() => undefined)
const client = createClient({ url: 'http://127.0.0.1:8080', timeoutMs: 20, token })
await client.getDsoPartyId().catch(({ message }: Error) => process.stdout.write(message))
