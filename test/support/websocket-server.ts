import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** The server's end of a WebSocket. A test can send single frames with it, and break every rule of RFC 6455. */
export class ServerWebSocket {
  readonly socket: Socket
  readonly #heard: (text: string) => void
  #buffer: Buffer
  answersPings = true
  pings = 0

  constructor(socket: Socket, head: Buffer, heard: (text: string) => void) {
    this.socket = socket
    this.#buffer = head
    this.#heard = heard
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk])
      this.#parse()
    })
    this.#parse()
  }

  static accept(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    protocol: string,
    heard: (text: string) => void,
  ): ServerWebSocket {
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
    const lines = [
      'HTTP/1.1 101 Switching Protocols',
      'upgrade: websocket',
      'connection: upgrade',
      `sec-websocket-accept: ${createHash('sha1').update(key).digest('base64')}`,
      `sec-websocket-protocol: ${protocol}`,
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    return new ServerWebSocket(socket, head, heard)
  }

  /** Returns false if the code that sends should wait until the socket has drained. */
  text(text: string): boolean {
    return this.socket.write(frame(0x1, Buffer.from(text)))
  }

  binary(data: Buffer): void {
    this.socket.write(frame(0x2, data))
  }

  halfText(text: string): void {
    const whole = frame(0x1, Buffer.from(text))
    this.socket.end(whole.subarray(0, whole.length / 2))
  }

  close(code = 1000): void {
    const payload = Buffer.alloc(2)
    payload.writeUInt16BE(code)
    this.socket.end(frame(0x8, payload))
  }

  /** Parses the received frames. Frames of clients are masked; fragments are not supported. */
  #parse(): void {
    for (;;) {
      const buffer = this.#buffer
      if (buffer.length < 2) return
      const opcode = (buffer[0] ?? 0) & 0x0f
      const short = (buffer[1] ?? 0) & 0x7f
      const extra = short === 126 ? 2 : short === 127 ? 8 : 0
      const start = 2 + extra + 4
      if (buffer.length < start) return
      const length =
        extra === 0 ? short : extra === 2 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2))
      if (buffer.length < start + length) return
      const mask = buffer.subarray(start - 4, start)
      const payload = Buffer.from(buffer.subarray(start, start + length)).map(
        (byte, index) => byte ^ (mask[index % 4] ?? 0),
      )
      this.#buffer = buffer.subarray(start + length)
      if (opcode === 0x1) this.#heard(Buffer.from(payload).toString())
      if (opcode === 0x8) this.socket.end(frame(0x8, Buffer.from(payload)))
      if (opcode === 0x9) {
        this.pings++
        if (this.answersPings) this.socket.write(frame(0xa, Buffer.from(payload)))
      }
    }
  }
}

function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = 0x80 | opcode
  if (length < 126) head[1] = length
  else if (length < 65_536) {
    head[1] = 126
    head.writeUInt16BE(length, 2)
  } else {
    head[1] = 127
    head.writeBigUInt64BE(BigInt(length), 2)
  }
  return Buffer.concat([head, payload])
}
