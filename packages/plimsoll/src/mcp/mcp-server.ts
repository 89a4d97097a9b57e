import type { Readable, Writable } from 'node:stream';
import { failure } from '@plimsoll/core/internal/errors';
import { version } from '@plimsoll/core/internal/version';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { Arguments, shortened } from './tool.ts';
import type { Tool } from './tool.ts';

interface McpServing {
  readonly tools: readonly Tool[];
  /** Longest answer in characters. */
  readonly mostChars: number;
}

interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable;
}

const instructions =
  'Memory of Node.js servers. Begin with "processes"; "findings" and "finding" name leaks with the path that holds them; "history" reads the ledger; "analyze_snapshot" reads a heap snapshot.';

/**
 * A server of the Model Context Protocol over our tools. The SDK is an optional peer and is loaded only here, because it brings 20 packages
 * that a production install of plimsoll does not need.
 */
export async function mcpServer({ tools, mostChars }: McpServing): Promise<Server> {
  const [sdk, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]).catch((error: unknown) => {
    throw failure('PLM_MCP_NO_SDK', {}, { cause: error });
  });
  const server = new sdk.Server({ name: 'plimsoll', version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: tools.map(({ name, description, args, required, isReadOnly }) => ({
      name,
      description,
      inputSchema: {
        type: 'object' as const,
        properties: { ...args },
        required: [...(required ?? [])],
      },
      annotations: { readOnlyHint: isReadOnly, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    try {
      if (tool === undefined) throw new Error(`there is no tool ${params.name}`);
      const text = await tool.run(new Arguments(params.arguments));
      return { content: [{ type: 'text', text: shortened(text, mostChars) }] };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { isError: true, content: [{ type: 'text', text: shortened(text, mostChars) }] };
    }
  });
  return server;
}

/** Serves on standard input and output until the client goes away. */
export async function serveStdio(options: McpServing, { stdin, stdout }: Streams): Promise<void> {
  const server = await mcpServer(options);
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const transport = new StdioServerTransport(stdin, stdout);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    stdin.once('end', resolve);
    stdin.once('close', resolve);
  });
  await server.connect(transport);
  await closed;
  await server.close();
}
