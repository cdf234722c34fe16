// Shows the OpenAPI document of the service that this page comes from.
"use strict";

// The public address of the service, with the path that it may have behind a proxy.
const service = new URL(".", document.baseURI).href.replace(/\/$/, "");

// Requests go to where the page came from: the document says "/", which leaves out such a path. Of the
// places for a token, this page offers the best: the form of each would take the focus, and the last one get it.
const onThisPage = (read) => ({
  ...read,
  servers: [{ url: service }],
  components: { ...read.components, securitySchemes: { bearer: read.components.securitySchemes.bearer } },
});

const sentHere = () => ({
  statePlugins: { spec: { wrapActions: { updateJsonSpec: (update) => (read) => update(onThisPage(read)) } } },
});

SwaggerUIBundle({
  url: service + "/openapi.json",
  dom_id: "#reference",
  plugins: [sentHere],
  validatorUrl: null, // nobody else is asked about the document
  deepLinking: true,
  // What the process says of itself is for few: it comes last. The rest is in the order of the document.
  tagsSorter: (a, b) => (a === "service") - (b === "service"),
  docExpansion: "none", // groups are closed, and a link opens its own
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  persistAuthorization: true, // in this browser, until it is told to log out
});

// The operations stand below a long text.
const toOperations = document.getElementById("to-operations");
toOperations.hidden = false;
toOperations.addEventListener("click", (click) => {
  click.preventDefault();
  document.querySelector("#reference .scheme-container")?.scrollIntoView();
});
