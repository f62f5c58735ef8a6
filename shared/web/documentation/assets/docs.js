// Show this service's OpenAPI document. The validator of Swagger UI is another host, so it stays off.
"use strict";

SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#documentation",
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
});
