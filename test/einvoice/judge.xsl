<?xml version="1.0" encoding="UTF-8"?>
<!-- Applies sets of rules to folders of documents, and prints for each failed assertion the folder and the name of the
     document, a tab, and what schematron.xsl prints. -->
<xsl:stylesheet version="3.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" xmlns:map="http://www.w3.org/2005/xpath-functions/map"
    exclude-result-prefixes="map">
  <xsl:output method="text"/>
  <xsl:param name="rules"/> <!-- URL of the folder with the rules -->
  <xsl:param name="documents"/> <!-- URL of the folder with a folder of documents for each form -->
  <xsl:param name="plan"/> <!-- en16931-ubl=ubl,peppol en16931-cii=cii -->

  <xsl:template name="xsl:initial-template">
    <xsl:for-each select="tokenize($plan, ' ')">
      <xsl:variable name="set" select="substring-before(., '=')"/>
      <xsl:variable name="stylesheet" select="transform(map {
          'stylesheet-location': resolve-uri('schematron.xsl', static-base-uri()),
          'source-node': doc(concat($rules, '/', $set, '.sch')) })?output"/>
      <xsl:for-each select="tokenize(substring-after(., '='), ',') ! collection(concat($documents, '/', ., '?select=*.xml'))">
        <xsl:variable name="path" select="string-join(tokenize(document-uri(.), '/')[position() > last() - 2], '/')"/>
        <xsl:variable name="failed" select="transform(map {
            'stylesheet-node': $stylesheet, 'source-node': ., 'delivery-format': 'serialized' })?output"/>
        <xsl:for-each select="tokenize($failed, '\n')[normalize-space()]">
          <xsl:value-of select="concat($path, '&#9;', ., '&#10;')"/>
        </xsl:for-each>
      </xsl:for-each>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
